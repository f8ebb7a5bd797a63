"use client"

import { use } from "react"
import type { HistogramData } from "#app/traces/read-overview.ts"
import { countOf, formatCount } from "#app/ui/format-count.ts"
import styles from "./live-list.module.css"

interface ListCountProps {
  readonly shown: number
  readonly isLive: boolean
  /** Left out while it is not known how many there are. */
  readonly counts?: Promise<HistogramData | undefined>
}

/** How many of the traces that pass are on the page. What was not counted is not told. */
export function ListCount({ shown, isLive, counts }: ListCountProps) {
  const total = counts === undefined ? undefined : use(counts)?.overview.traces
  // The count is some seconds old while traces arrive.
  const isPart = total !== undefined && total > shown
  return (
    <p className={styles.count}>
      {isPart ? `Showing ${formatCount(shown)} of ${countOf(total, "trace")}` : countOf(shown, "trace")}
      {!isLive && ", from an older page on, not live"}
    </p>
  )
}
