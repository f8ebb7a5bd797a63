"use client"

import { useRef } from "react"
import type { VitalMark } from "#otel/inspector/queries/trace/trace-marks.ts"
import { useSize } from "../_overview/use-size.ts"
import { shareOf, type TimeWindow } from "../_state/time-window.ts"
import styles from "./time-lines.module.css"
import { timeTicks } from "./time-ticks.ts"

interface TimeLinesProps {
  readonly window: TimeWindow
  readonly vitals: readonly VitalMark[]
}

const TICK_ROOM = 96

/** Lines behind the bars: a fine one at each tick, and one where a web vital happened; ./vital-labels.tsx names those. */
export function TimeLines({ window, vitals }: TimeLinesProps) {
  const box = useRef<HTMLDivElement>(null)
  const { width } = useSize(box)
  const ticks = width === 0 ? [] : timeTicks(window, Math.max(2, Math.floor(width / TICK_ROOM)))
  return (
    <div ref={box} className={styles.lines} aria-hidden="true">
      {width > 0 && (
        <svg width="100%" height="100%" focusable="false">
          {ticks.map(({ at }) => (
            <line key={at} x1={x(window, at)} x2={x(window, at)} y1="0" y2="100%" />
          ))}
          {vitals.map(({ name, spanId, rating, offsetNano }) => (
            <line
              key={`${name} ${spanId}`}
              className={styles.vital}
              data-rating={rating}
              x1={x(window, offsetNano)}
              x2={x(window, offsetNano)}
              y1="0"
              y2="100%"
            />
          ))}
        </svg>
      )}
    </div>
  )
}

function x(window: TimeWindow, at: number): string {
  return `${shareOf(window, at) * 100}%`
}
