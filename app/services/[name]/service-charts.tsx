"use client"

import { useRouter } from "next/navigation"
import { useMemo } from "react"
import type { ChartAxis, ChartData, ChartMark } from "#app/_ui/chart/chart-data.ts"
import { Chart } from "#app/_ui/chart/chart.tsx"
import { withParameters } from "#app/_ui/input/parameters.ts"
import type { Steps } from "#otel/inspector/queries/list/time-range.ts"
import type { ServiceTrend } from "#otel/inspector/queries/services/service-reader.ts"
import styles from "./service-view.module.css"

interface ServiceChartsProps {
  readonly trend: ServiceTrend
  readonly steps: Steps
  readonly path: string
  readonly parameters: string
  /** Where the service's releases begin. */
  readonly marks: readonly ChartMark[]
}

/** Entries and their durations over time. Brushing a chart sets the time range. */
export function ServiceCharts({ trend, steps, path, parameters, marks }: ServiceChartsProps) {
  const router = useRouter()
  const charts = useMemo(() => chartsOf(trend, steps, marks), [trend, steps, marks])
  const brush = (from: number, to: number) => {
    const window = { since: new Date(from).toISOString(), until: new Date(to).toISOString() }
    router.push(withParameters(path, new URLSearchParams(parameters), window), { scroll: false })
  }
  return (
    <div className={styles.charts}>
      {charts.map((data) => (
        <section key={data.title} aria-label={data.title}>
          <h2>{data.title}</h2>
          <Chart data={data} onBrush={brush} />
        </section>
      ))}
    </div>
  )
}

function chartsOf(trend: ServiceTrend, steps: Steps, marks: readonly ChartMark[]): readonly ChartData[] {
  const x: ChartAxis = { kind: "time", from: steps.fromMs, step: steps.stepMs, count: steps.count }
  return [
    {
      title: "Entries over time",
      kind: "bars",
      unit: "count",
      x,
      marks,
      series: [
        { label: "OK", colour: "--accent", values: trend.count.map((count, at) => count - (trend.failed[at] ?? 0)) },
        { label: "Failed", colour: "--error", values: trend.failed },
      ],
    },
    {
      title: "Duration over time",
      kind: "lines",
      unit: "milliseconds",
      x,
      marks,
      series: [
        { label: "p50", colour: "--accent", values: trend.p50 },
        { label: "p95", colour: "--service-2", values: trend.p95, dash: [2, 3] },
      ],
    },
  ]
}
