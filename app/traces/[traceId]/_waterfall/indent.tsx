"use client"

import { formatCount } from "#app/_ui/format/quantity.ts"
import styles from "./waterfall-grid.module.css"

const STEP = 12
/** Deeper rows are not indented further; their depth is shown as a number. */
const STEPS = 14

/** One guide line per ancestor. An SVG, because the content security policy allows its width attribute but no inline style. */
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
