"use client"

import { type ReactNode, Suspense, use } from "react"
import { useIsReading } from "#app/_live/use-is-reading.ts"
import type { ListPlace } from "./list-address.ts"
import { listRule } from "./list-state.ts"
import { OlderTraces } from "./older-traces.tsx"
import type { HistogramData } from "#app/traces/_overview/read-overview.ts"
import { TraceGrid } from "./trace-grid.tsx"
import { useLiveTraces } from "./use-live-traces.ts"
import { formatCount, countOf } from "#app/_ui/format/quantity.ts"
import type { TraceSummaryJson } from "#otel/inspector/queries/list/trace-summary.ts"
import styles from "./live-list.module.css"

export interface LiveListProps {
  readonly traces: readonly TraceSummaryJson[]
  /** Cursor of the page behind these. */
  readonly next: string | undefined
  readonly counts: Promise<HistogramData | undefined>
  readonly place: ListPlace
  readonly after: string | undefined
  /** What the feed is asked for: the filter as text. */
  readonly question: string
  readonly renderedAt: number
  /** Shown while there is no trace. */
  readonly children: ReactNode
}

/** The list as the server read it, kept current; it holds still while somebody reads it and offers what is new in a pill. */
export function LiveList(props: LiveListProps) {
  const { traces, next, counts, place, after, question, renderedAt, children } = props
  const { area, top, reading } = useIsReading()
  const rule = listRule(place, renderedAt)
  const isLive = after === undefined
  const { list, end, showNew, addOlder } = useLiveTraces({ traces, next, question, rule, reading, isLive })
  const count = list.waiting.size
  const more = list.skipped > 0
  return (
    <div ref={area} className={styles.list}>
      <div ref={top} />
      <div className={styles.line}>
        <Suspense fallback={<ListCount shown={list.rows.length} isLive={isLive} />}>
          <ListCount shown={list.rows.length} isLive={isLive} counts={counts} />
        </Suspense>
        <p className={styles.keys}>
          <kbd>j</kbd> <kbd>k</kbd> move, <kbd>Enter</kbd> opens
        </p>
      </div>
      {count > 0 && (
        <button type="button" className={styles.pill} onClick={showNew}>
          {more ? `${formatCount(count)} or more new` : `${formatCount(count)} new`}
        </button>
      )}
      {list.rows.length === 0 ? children : <TraceGrid traces={list.rows} place={place} renderedAt={renderedAt} />}
      <OlderTraces
        place={place}
        after={after}
        question={question}
        next={end}
        loaded={list.rows.length}
        onLoaded={addOlder}
      />
    </div>
  )
}

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
