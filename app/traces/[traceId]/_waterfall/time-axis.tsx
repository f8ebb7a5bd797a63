"use client"

import { useRef } from "react"
import { useSize } from "../_canvas/use-size.ts"
import { shareOf, type TimeWindow } from "../_state/time-window.ts"
import { timeTicks } from "./time-ticks.ts"
import styles from "./timeline.module.css"

/** Width of a tick with its label, in pixels. */
const TICK_ROOM = 96
/** Width that the server assumes, in pixels. */
const FIRST_WIDTH = 700

/** Tick labels of the timeline. */
export function TimeAxis({ window }: { window: TimeWindow }) {
  const box = useRef<HTMLDivElement>(null)
  const { width } = useSize(box)
  const ticks = timeTicks(window, Math.max(2, Math.floor((width || FIRST_WIDTH) / TICK_ROOM)))
  return (
    <div ref={box} className={styles.axis} data-axis>
      <svg width="100%" height="100%" aria-hidden="true" focusable="false">
        {ticks.map(({ at, label }) => {
          const share = shareOf(window, at)
          const atEnd = share > 0.93
          return (
            <text
              key={at}
              x={`${share * 100}%`}
              dx={atEnd ? -5 : 5}
              y="50%"
              dominantBaseline="central"
              textAnchor={atEnd ? "end" : "start"}
            >
              {label}
            </text>
          )
        })}
      </svg>
    </div>
  )
}
