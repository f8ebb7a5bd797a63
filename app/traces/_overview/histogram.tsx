"use client"

import { useRouter } from "next/navigation"
import { use, useMemo } from "react"
import type { ChartData } from "#app/_ui/chart/chart-data.ts"
import { Chart } from "#app/_ui/chart/chart.tsx"
import { listAddress, type ListPlace } from "#app/traces/_list/list-address.ts"
import { momentText, tracesOverTime } from "./histogram-data.ts"
import styles from "./histogram.module.css"
import type { HistogramData } from "./read-overview.ts"

interface HistogramProps {
  readonly counts: Promise<HistogramData | undefined>
  readonly place: ListPlace
}

/** Start times of the listed traces. Brushing sets the time range, within the current one. */
export function Histogram({ counts, place }: HistogramProps) {
  const router = useRouter()
  const histogram = use(counts)
  const text =
    histogram && JSON.stringify(tracesOverTime(histogram.bars, histogram.fromMs, histogram.stepMs, histogram.count))
  // A new object redraws the chart, so equal data keeps its identity.
  const data = useMemo(() => (text === undefined ? undefined : (JSON.parse(text) as ChartData)), [text])
  if (histogram === undefined || data === undefined)
    return <p className={styles.none}>Counting the traces timed out. The list below is complete.</p>
  const brushed = (from: number, to: number) => {
    const since = Math.max(from, histogram.sinceMs ?? from)
    const until = Math.min(to, histogram.untilMs ?? to)
    router.push(listAddress({ ...place, since: momentText(since), until: momentText(until), after: undefined }))
  }
  return <Chart data={data} onBrush={brushed} size="small" />
}
