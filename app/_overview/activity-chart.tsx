"use client"

import { useRouter } from "next/navigation"
import { useMemo } from "react"
import { momentText, tracesOverTime } from "#app/traces/_overview/histogram-data.ts"
import type { ChartData } from "#app/_ui/chart/chart-data.ts"
import { Chart } from "#app/_ui/chart/chart.tsx"
import type { OverviewBar, TimeSteps } from "#otel/inspector/queries/list/trace-overview.ts"
import styles from "./overview-view.module.css"

/** Traces of the last minutes; what is brushed is shown as a list. */
export function ActivityChart({ bars, steps }: { bars: readonly OverviewBar[]; steps: TimeSteps }) {
  const router = useRouter()
  const { from, stepMs, count } = steps
  const text = JSON.stringify(tracesOverTime(bars, Number(from / 1_000_000n), stepMs, count))
  // The chart is drawn anew for another object: the same numbers read again are the same one.
  const data = useMemo(() => JSON.parse(text) as ChartData, [text])
  const brushed = (since: number, until: number) =>
    router.push(`/traces?${new URLSearchParams({ since: momentText(since), until: momentText(until) })}`)
  return (
    <div className={styles.chart}>
      <Chart data={data} onBrush={brushed} size="medium" />
    </div>
  )
}
