"use client"

import { use } from "react"
import type { ListPlace } from "#app/_filter/list-address.ts"
import type { ChartMark } from "#app/_ui/chart/chart-data.ts"
import { TimeHistogram } from "#app/_filter/time-histogram.tsx"
import { tracesOverTime } from "./histogram-data.ts"
import type { HistogramData } from "./read-overview.ts"

interface HistogramProps {
  readonly counts: Promise<HistogramData | undefined>
  readonly marks: Promise<readonly ChartMark[]>
  readonly place: ListPlace
}

/** Start times of the listed traces. */
export function Histogram({ counts, marks, place }: HistogramProps) {
  const histogram = use(counts)
  const chart = histogram && tracesOverTime(histogram.bars, histogram.fromMs, histogram.stepMs, histogram.count)
  return (
    <TimeHistogram
      path="/traces"
      place={place}
      chart={chart}
      marks={marks}
      sinceMs={histogram?.sinceMs}
      untilMs={histogram?.untilMs}
    />
  )
}
