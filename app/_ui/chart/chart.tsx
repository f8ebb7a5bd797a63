"use client"

import { useRef, useState } from "react"
import { useZone } from "#app/_ui/format/use-zone.tsx"
import type { Zone } from "#app/_ui/format/zone.ts"
import { type ChartData, intervalAt, intervalCount } from "./chart-data.ts"
import { formatInterval, formatValue } from "./chart-formats.ts"
import { ChartLegend } from "./chart-legend.tsx"
import { ChartTable } from "./chart-table.tsx"
import styles from "./chart.module.css"
import { useBrushKeys } from "./use-brush-keys.ts"
import { usePlot } from "./use-plot.ts"
import "uplot/dist/uPlot.min.css"

interface ChartProps {
  /** A new object redraws the chart. */
  readonly data: ChartData
  /** Called with a brushed range of whole intervals, in the unit of the axis. */
  readonly onBrush?: (from: number, to: number) => void
  readonly size?: "small" | "medium" | "large"
}

/**
 * Stacked bars or lines, over time or over ranges. Draws on a canvas, renders a table for assistive technology, and with
 * `onBrush` supports brushing by pointer and keyboard.
 */
export function Chart({ data, onBrush, size = "medium" }: ChartProps) {
  const element = useRef<HTMLDivElement>(null)
  const [pointed, setPointed] = useState<number>()
  const { x } = data
  const brushed = onBrush && ((first: number, last: number) => onBrush(intervalAt(x, first)[0], intervalAt(x, last)[1]))
  const { marked, onKeyDown, onBlur } = useBrushKeys(intervalCount(x), brushed)
  const zone = useZone()
  usePlot(element, data, marked, zone, { pointed: setPointed, brushed })
  return (
    <figure className={styles.chart} aria-label={data.title}>
      <ChartLegend data={data} index={pointed ?? marked?.head} />
      {/* No other role fits a chart that handles arrow keys. Screen readers read the table below. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex, jsx-a11y/no-noninteractive-element-interactions */}
      <div
        ref={element}
        className={styles.plot}
        data-size={size}
        data-brush={onBrush !== undefined}
        {...(onBrush && {
          tabIndex: 0,
          role: "application",
          "aria-label": `${data.title}: arrow keys select an interval, Shift extends the range, Enter zooms in`,
          onKeyDown,
          onBlur,
        })}
      />
      {onBrush && <output className="visually-hidden">{marked && intervalText(data, marked.head, zone)}</output>}
      <ChartTable data={data} />
    </figure>
  )
}

function intervalText({ x, series, unit }: ChartData, index: number, zone: Zone): string {
  const values = series.map(({ label, values: all }) => `${label} ${formatValue(all[index], unit)}`)
  return `${formatInterval(x, index, zone)}: ${values.join(", ")}`
}
