"use client"

import { useRouter } from "next/navigation"
import { useMemo } from "react"
import type { ChartData, ChartMark } from "#app/_ui/chart/chart-data.ts"
import { MarkedChart } from "#app/_ui/chart/marked-chart.tsx"
import { momentText } from "#app/_ui/format/time.ts"
import { LANGUAGES } from "./language.ts"
import { listAddress, type ListPath, type ListPlace, regionPlace } from "./list-address.ts"
import styles from "./time-histogram.module.css"

interface TimeHistogramProps {
  readonly path: ListPath
  readonly place: ListPlace
  /** `undefined` after the count timed out. */
  readonly chart: ChartData | undefined
  /** Where releases begin. */
  readonly marks: Promise<readonly ChartMark[]>
  /** Bounds of the time range, in milliseconds. Bars at the edge may exceed them; a brushed range must not. */
  readonly sinceMs: number | undefined
  readonly untilMs: number | undefined
}

/** When the rows of a list happened. Brushing sets the time range, within the current one. */
export function TimeHistogram({ path, place, chart, marks, sinceMs, untilMs }: TimeHistogramProps) {
  const router = useRouter()
  const text = chart && JSON.stringify(chart)
  // A new object redraws the chart, so equal data keeps its identity.
  const data = useMemo(() => (text === undefined ? undefined : (JSON.parse(text) as ChartData)), [text])
  if (data === undefined)
    return <p className={styles.none}>Counting the {LANGUAGES[path].selects} timed out. The list below is complete.</p>
  const brushed = (from: number, to: number) => {
    const since = momentText(Math.max(from, sinceMs ?? from))
    const until = momentText(Math.min(to, untilMs ?? to))
    // Traces have charts that compare a region with the rest.
    const region =
      path === "/traces" ? regionPlace(place, { since, until }) : { ...place, since, until, after: undefined }
    router.push(listAddress(region, path))
  }
  return <MarkedChart data={data} marks={marks} onBrush={brushed} size="small" />
}
