"use client"

import { useRouter } from "next/navigation"
import { useMemo } from "react"
import type { ChartData, ChartMark } from "#app/_ui/chart/chart-data.ts"
import { Chart } from "#app/_ui/chart/chart.tsx"
import { momentText } from "#app/_ui/format/time.ts"
import { tracesOverTime } from "#app/traces/_overview/histogram-data.ts"
import type { OverviewBar, TimeSteps } from "#otel/inspector/queries/list/trace-overview.ts"
import styles from "./overview-view.module.css"

interface ActivityChartProps {
  readonly bars: readonly OverviewBar[]
  readonly steps: TimeSteps
  /** Where releases begin. */
  readonly marks: readonly ChartMark[]
}

/** Traces over time. Brushing a range opens the trace list for it. */
export function ActivityChart({ bars, steps, marks }: ActivityChartProps) {
  const router = useRouter()
  const { from, stepMs, count } = steps
  const text = JSON.stringify({ ...tracesOverTime(bars, Number(from / 1_000_000n), stepMs, count), marks })
  // A new object redraws the chart, so equal data keeps its identity.
  const data = useMemo(() => JSON.parse(text) as ChartData, [text])
  const brushed = (since: number, until: number) =>
    router.push(`/traces?${new URLSearchParams({ since: momentText(since), until: momentText(until) })}`)
  return (
    <div className={styles.chart}>
      <Chart data={data} onBrush={brushed} size="medium" />
    </div>
  )
}
