"use client"

import { useRef } from "react"
import type { VitalMark } from "#otel/inspector/queries/trace/trace-marks.ts"
import { useSize } from "../_canvas/use-size.ts"
import { shareOf, type TimeWindow } from "../_state/time-window.ts"
import styles from "./time-lines.module.css"
import { timeTicks } from "./time-ticks.ts"
import { RATING_SIGN } from "./vital-rating.ts"

interface TimeLinesProps {
  readonly window: TimeWindow
  readonly vitals: readonly VitalMark[]
}

const TICK_ROOM = 96

/** Lines behind the bars: one per tick, and one per web vital. */
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

interface VitalLabelsProps {
  readonly window: TimeWindow
  readonly vitals: readonly VitalMark[]
  /** Selects the span that reported a vital. */
  readonly onOpen: (spanId: string) => void
}

/** Width of a label such as `LCP ●`, in pixels. */
const LABEL_WIDTH = 46

/** Labels of the web vital lines. For the pointer only: the header has the accessible buttons. */
export function VitalLabels({ window, vitals, onOpen }: VitalLabelsProps) {
  const box = useRef<HTMLDivElement>(null)
  const { width } = useSize(box)
  return (
    <div ref={box} className={styles.labels} aria-hidden="true">
      {width > 0 && (
        <svg width="100%" height="100%" focusable="false">
          {placed(vitals, window, width).map(({ vital, labelX }) => (
            // oxlint-disable-next-line jsx-a11y/no-static-element-interactions, jsx-a11y/click-events-have-key-events -- the header has buttons for the same
            <text
              key={`${vital.name} ${vital.spanId}`}
              className={styles.vital}
              data-rating={vital.rating}
              x={labelX}
              y={11}
              onClick={() => onOpen(vital.spanId)}
            >
              {vital.name} {RATING_SIGN[vital.rating]}
            </text>
          ))}
        </svg>
      )}
    </div>
  )
}

/** Places labels right of their lines, and moves them where they would overlap or cross the edge. */
function placed(vitals: readonly VitalMark[], window: TimeWindow, width: number) {
  const shown = vitals.filter(({ offsetNano }) => offsetNano >= window.from && offsetNano <= window.to)
  const places: number[] = []
  for (const { offsetNano } of shown)
    places.push(Math.max((places.at(-1) ?? -LABEL_WIDTH) + LABEL_WIDTH, shareOf(window, offsetNano) * width + 3))
  for (let index = places.length - 1, edge = width; index >= 0; index--) {
    places[index] = Math.min(places[index] ?? 0, edge - LABEL_WIDTH)
    edge = places[index] ?? 0
  }
  return shown.map((vital, index) => ({ vital, labelX: places[index] ?? 0 }))
}
