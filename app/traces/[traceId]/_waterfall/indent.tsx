"use client"

import { formatCount } from "#app/_ui/format/quantity.ts"
import styles from "./waterfall-grid.module.css"

const STEP = 12
/** Deeper rows stand no further to the right, or the name would have no room: their depth is written instead. */
const STEPS = 14

/** One guide line for each level above. A drawing, since its width is an attribute and not a style. */
export function Indent({ depth }: { depth: number }) {
  const steps = Math.min(depth, STEPS)
  return (
    <>
      <svg className={styles.indent} width={steps * STEP} height="100%" aria-hidden="true" focusable="false">
        {Array.from({ length: steps }, (_, step) => (
          <line key={step} x1={step * STEP + 8.5} x2={step * STEP + 8.5} y1="0" y2="100%" />
        ))}
      </svg>
      {depth > STEPS && (
        <span className={styles.depth} title={`Depth ${formatCount(depth)}`} aria-hidden="true">
          {formatCount(depth)}
        </span>
      )}
    </>
  )
}
