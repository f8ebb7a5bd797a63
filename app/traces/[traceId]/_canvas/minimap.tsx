"use client"

/* oxlint-disable jsx-a11y/prefer-tag-over-role -- a canvas cannot be an `img` element */
import { useEffect, useRef } from "react"
import { formatDuration } from "#app/_ui/format/time.ts"
import type { WaterfallTable } from "#otel/inspector/queries/trace/waterfall-table.ts"
import { isWhole, type TimeWindow } from "../_state/time-window.ts"
import { drawMinimap } from "./draw-minimap.ts"
import styles from "./minimap.module.css"
import type { Palette } from "./use-palette.ts"
import { useSize } from "./use-size.ts"
import { useWindowGestures } from "./use-window-gestures.ts"

interface MinimapProps {
  readonly table: WaterfallTable
  readonly palette: Palette | undefined
  readonly window: TimeWindow
  readonly onWindow: (window: TimeWindow) => void
  readonly onReset: () => void
}

/** Minimap of the trace with the visible time range. Keys and toolbar buttons do the same. */
export function Minimap({ table, palette, window: shown, onWindow, onReset }: MinimapProps) {
  const strip = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const size = useSize(strip)
  const duration = Math.max(1, table.traceDuration)
  const { drawn, ...gestures } = useWindowGestures(strip, shown, duration, onWindow)
  useEffect(() => {
    if (canvas.current !== null && palette !== undefined && size.width > 0)
      drawMinimap(canvas.current, table, palette, size)
  }, [table, palette, size])
  const isReset = isWhole(shown, duration)
  return (
    <div ref={strip} className={styles.strip} {...gestures} onDoubleClick={onReset}>
      <canvas
        ref={canvas}
        className={styles.canvas}
        role="img"
        aria-label={`Minimap of the trace, ${formatDuration(BigInt(Math.round(duration)))}. Drag to zoom.`}
      />
      {size.width > 0 && !isReset && (
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
