"use client"

/* oxlint-disable jsx-a11y/prefer-tag-over-role -- what is drawn by script cannot be the file of an `img` */
import { useEffect, useRef } from "react"
import { formatDuration } from "#app/_ui/format/time.ts"
import type { WaterfallTable } from "#otel/inspector/queries/trace/waterfall-table.ts"
import { isWhole, type TimeWindow } from "../_state/time-window.ts"
import { drawOverview } from "./draw-minimap.ts"
import styles from "./minimap.module.css"
import type { Palette } from "./use-palette.ts"
import { useSize } from "./use-size.ts"
import { useWindowGestures } from "./use-window-gestures.ts"

interface OverviewProps {
  readonly table: WaterfallTable
  readonly palette: Palette | undefined
  readonly window: TimeWindow
  readonly onWindow: (window: TimeWindow) => void
  readonly onWhole: () => void
}

/** The whole trace in a strip, with the part of it that is shown. The keyboard and the buttons beside it do the same. */
export function Overview({ table, palette, window: shown, onWindow, onWhole }: OverviewProps) {
  const strip = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const size = useSize(strip)
  const duration = Math.max(1, table.traceDuration)
  const { drawn, ...gestures } = useWindowGestures(strip, shown, duration, onWindow)
  useEffect(() => {
    if (canvas.current !== null && palette !== undefined && size.width > 0)
      drawOverview(canvas.current, table, palette, size)
  }, [table, palette, size])
  const whole = isWhole(shown, duration)
  return (
    <div ref={strip} className={styles.strip} {...gestures} onDoubleClick={onWhole}>
      <canvas
        ref={canvas}
        className={styles.canvas}
        role="img"
        aria-label={`The whole trace, ${formatDuration(BigInt(Math.round(duration)))}. Drag to zoom.`}
      />
      {size.width > 0 && !whole && (
        <div
          className={styles.window}
          data-grip="move"
          style={{ left: percent(shown.from / duration), width: percent((shown.to - shown.from) / duration) }}
        >
          <i className={styles.edge} data-grip="from" />
          <i className={styles.edge} data-grip="to" />
        </div>
      )}
      {drawn !== undefined && (
        <div
          className={styles.drawn}
          style={{ left: percent(drawn.from / duration), width: percent((drawn.to - drawn.from) / duration) }}
        />
      )}
    </div>
  )
}

function percent(share: number): string {
  return `${share * 100}%`
}
