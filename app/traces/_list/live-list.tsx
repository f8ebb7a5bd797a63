"use client"

import { type ReactNode, Suspense, use } from "react"
import type { ListPlace } from "#app/_filter/list-address.ts"
import { OlderRows } from "#app/_filter/older-rows.tsx"
import type { InternalTelemetry } from "#app/_live/internal-telemetry.ts"
import { NewRows } from "#app/_live/new-rows.tsx"
import { useIsReading } from "#app/_live/use-is-reading.ts"
import { countOf, formatCount } from "#app/_ui/format/quantity.ts"
import type { HistogramData } from "#app/traces/_overview/read-overview.ts"
import type { TraceSummaryJson } from "#otel/inspector/queries/list/trace-summary.ts"
import { listRule, ROW_LIMIT, WAITING_LIMIT } from "./list-state.ts"
import styles from "./live-list.module.css"
import { TraceGrid } from "./trace-grid.tsx"
import { useLiveTraces } from "./use-live-traces.ts"

export interface LiveListProps {
  readonly traces: readonly TraceSummaryJson[]
  /** Cursor of the next page. */
  readonly next: string | undefined
  readonly counts: Promise<HistogramData | undefined>
  readonly place: ListPlace
  readonly after: string | undefined
  readonly own: InternalTelemetry
  readonly renderedAt: number
  /** Shown while the list is empty. */
  readonly children: ReactNode
}

/** The live trace list. It does not move while the user reads it; a button shows what is new. */
export function LiveList(props: LiveListProps) {
  const { traces, next, counts, place, after, own, renderedAt, children } = props
  const { area, top, reading } = useIsReading()
  const rule = listRule(place, renderedAt)
  const isLive = after === undefined
  const { list, showNew, addOlder } = useLiveTraces({ traces, next, filter: place.filter, own, rule, reading, isLive })
  return (
    <div ref={area} className={styles.list}>
      <div ref={top} />
      <div className={styles.line}>
        <Suspense fallback={<ListCount shown={list.rows.length} isLive={isLive} />}>
          <ListCount shown={list.rows.length} isLive={isLive} counts={counts} />
        </Suspense>
        <p className={styles.keys}>
          <kbd>j</kbd> <kbd>k</kbd> to move, <kbd>Enter</kbd> to open
        </p>
      </div>
      <NewRows count={list.waiting.size} orMore={list.waiting.size >= WAITING_LIMIT} onShow={showNew} />
      {list.rows.length === 0 ? children : <TraceGrid traces={list.rows} place={place} renderedAt={renderedAt} />}
      <OlderRows
        path="/traces"
        place={place}
        after={after}
        next={list.end}
        loaded={list.rows.length}
        limit={ROW_LIMIT}
        parameters={own.isHidden ? "&own=hide" : ""}
        onLoaded={addOlder}
      />
    </div>
  )
}

interface ListCountProps {
  readonly shown: number
  readonly isLive: boolean
  /** Absent while the total is unknown. */
  readonly counts?: Promise<HistogramData | undefined>
}

/** How many matching traces the page shows, and of how many where that is known. */
export function ListCount({ shown, isLive, counts }: ListCountProps) {
  const total = counts === undefined ? undefined : use(counts)?.overview.traces
  // The count may be some seconds old while traces arrive.
  const isPart = total !== undefined && total > shown
  return (
    <p>
      {isPart ? `Showing ${formatCount(shown)} of ${countOf(total, "trace")}` : countOf(shown, "trace")}
      {!isLive && " from an older page, not live"}
    </p>
  )
}
