"use client"

import { use } from "react"
import type { ListPlace } from "#app/_filter/list-address.ts"
import type { ChartMark } from "#app/_ui/chart/chart-data.ts"
import { TimeHistogram } from "#app/_filter/time-histogram.tsx"
import type { LogCounts } from "./read-log-counts.ts"

interface LogHistogramProps {
  readonly counts: Promise<LogCounts | undefined>
  readonly marks: Promise<readonly ChartMark[]>
  readonly place: ListPlace
}

/** When the listed logs were written, by severity. */
export function LogHistogram({ counts, marks, place }: LogHistogramProps) {
  const counted = use(counts)
  return (
    <TimeHistogram
      path="/logs"
      place={place}
      chart={counted?.chart}
      marks={marks}
      sinceMs={counted?.sinceMs}
      untilMs={counted?.untilMs}
    />
  )
}
