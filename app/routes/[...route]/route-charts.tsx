"use client"

import { useRouter } from "next/navigation"
import { useMemo } from "react"
import type { ChartAxis, ChartData, ChartMark } from "#app/_ui/chart/chart-data.ts"
import { Chart } from "#app/_ui/chart/chart.tsx"
import { withParameters } from "#app/_ui/input/parameters.ts"
import { formatMs, KIND_NAMES } from "#app/routes/figures.ts"
import type { Steps } from "#otel/inspector/queries/list/time-range.ts"
import type { RouteDetail } from "#otel/inspector/queries/routes/route-reader.ts"
import styles from "./route-view.module.css"

interface RouteChartsProps {
  readonly detail: RouteDetail
  readonly steps: Steps
  readonly path: string
  readonly parameters: string
  /** Where releases begin. */
  readonly marks: readonly ChartMark[]
}

/** Counts, durations and their distribution. Brushing a time chart sets the time range. */
export function RouteCharts({ detail, steps, path, parameters, marks }: RouteChartsProps) {
  const router = useRouter()
  const charts = useMemo(() => chartsOf(detail, steps, marks), [detail, steps, marks])
  const brush = (from: number, to: number) => {
    const window = { since: new Date(from).toISOString(), until: new Date(to).toISOString() }
    router.push(withParameters(path, new URLSearchParams(parameters), window), { scroll: false })
  }
  return (
    <div className={styles.charts}>
      <section aria-labelledby="counts">
        <h2 id="counts">{KIND_NAMES[detail.kind].many} over time</h2>
        <Chart data={charts.counts} onBrush={brush} />
      </section>
      <section aria-labelledby="trend">
        <h2 id="trend">Duration over time</h2>
        <Chart data={charts.times} onBrush={brush} />
      </section>
      <section aria-labelledby="spread">
        <h2 id="spread">Distribution of durations</h2>
        <Chart data={charts.spread} />
      </section>
    </div>
  )
}

function chartsOf({ kind, times, trend, distribution }: RouteDetail, steps: Steps, marks: readonly ChartMark[]) {
  const x: ChartAxis = { kind: "time", from: steps.fromMs, step: steps.stepMs, count: steps.count }
  const figures = times[kind]
  const counts: ChartData = {
    title: `${KIND_NAMES[kind].many} over time`,
    kind: "bars",
    unit: "count",
    x,
    marks,
    series: [
      { label: "OK", colour: "--accent", values: trend.count.map((count, at) => count - (trend.failed[at] ?? 0)) },
      { label: "Failed", colour: "--error", values: trend.failed },
    ],
  }
  const lines: ChartData = {
    title: "Duration over time",
    kind: "lines",
    unit: "milliseconds",
    x,
    marks,
    series: [
      { label: "p50", colour: "--accent", values: trend.p50 },
      { label: "p75", colour: "--service-1", values: trend.p75, dash: [6, 3] },
      { label: "p95", colour: "--service-2", values: trend.p95, dash: [2, 3] },
    ],
  }
  const spread: ChartData = {
    title: "Distribution of durations",
    kind: "bars",
    unit: "count",
    x: { kind: "ranges", edges: distribution.edges, unit: "milliseconds" },
    series: [{ label: KIND_NAMES[kind].many.toLowerCase(), colour: "--accent", values: distribution.counts }],
    marks:
      figures === undefined
        ? []
        : [
            { axis: "x", at: figures.p50, label: `p50 ${formatMs(figures.p50)}`, colour: "--text" },
            { axis: "x", at: figures.p95, label: `p95 ${formatMs(figures.p95)}`, colour: "--warning" },
          ],
  }
  return { counts, times: lines, spread }
}
