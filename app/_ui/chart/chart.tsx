"use client"

import { useRef, useState } from "react"
import { type ChartData, intervalAt, intervalCount } from "./chart-data.ts"
import { formatInterval, formatValue } from "./chart-formats.ts"
import { ChartLegend } from "./chart-legend.tsx"
import { ChartTable } from "./chart-table.tsx"
import styles from "./chart.module.css"
import { useBrushKeys } from "./use-brush-keys.ts"
import { usePlot } from "./use-plot.ts"
import "uplot/dist/uPlot.min.css"

interface ChartProps {
  /** The same object while nothing changed: another one is drawn anew. */
  readonly data: ChartData
  /** Called with a range that was brushed, whole intervals from the start of the first to the end of the last, in the unit of the axis. */
  readonly onBrush?: (from: number, to: number) => void
  readonly size?: "small" | "medium" | "large"
}

/**
 * Bars that stand on each other or lines, over time or over ranges. Drawn on a canvas for the eye, told as a table to
 * those who do not see it, and with `onBrush` worked by pointer and keyboard alike.
 */
export function Chart({ data, onBrush, size = "medium" }: ChartProps) {
  const element = useRef<HTMLDivElement>(null)
  const [pointed, setPointed] = useState<number>()
  const { x } = data
  const brushed = onBrush && ((first: number, last: number) => onBrush(intervalAt(x, first)[0], intervalAt(x, last)[1]))
  const { marked, onKeyDown, onBlur } = useBrushKeys(intervalCount(x), brushed)
  usePlot(element, data, marked, { pointed: setPointed, brushed })
  return (
    <figure className={styles.chart} aria-label={data.title}>
      <ChartLegend data={data} index={pointed ?? marked?.head} />
      {/* A chart of one's own to work with arrows has no other role; its table below is what is read. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex, jsx-a11y/no-noninteractive-element-interactions */}
      <div
        ref={element}
        className={styles.plot}
        data-size={size}
        data-brush={onBrush !== undefined}
        {...(onBrush && {
          tabIndex: 0,
          role: "application",
          "aria-label": `${data.title}: arrows choose an interval, with Shift a range, Enter shows it alone`,
          onKeyDown,
          onBlur,
        })}
      />
      {onBrush && <output className="visually-hidden">{marked && told(data, marked.head)}</output>}
      <ChartTable data={data} />
    </figure>
  )
}

function told({ x, series, unit }: ChartData, index: number): string {
  const values = series.map(({ label, values: all }) => `${label} ${formatValue(all[index], unit)}`)
  return `${formatInterval(x, index)}: ${values.join(", ")}`
}
