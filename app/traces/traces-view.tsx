import Link from "next/link"
import { Suspense } from "react"
import type { Deferred } from "#app/_query/defer.ts"
import { InternalTelemetrySwitch } from "#app/_live/internal-telemetry-switch.tsx"
import type { InternalTelemetry } from "#app/_live/internal-telemetry.ts"
import { ListResult } from "#app/_query/list-result.tsx"
import { SlowQuery } from "#app/_query/slow-query.tsx"
import { NothingYet } from "#app/_ui/layout/message.tsx"
import { Notices } from "#app/_ui/layout/notices.tsx"
import { previousWindowAddress } from "#app/compare/compare-address.ts"
import { Facets } from "#app/traces/_filter/facets.tsx"
import { FilterBar } from "#app/_filter/filter-bar.tsx"
import { listAddress, type ListPlace } from "#app/_filter/list-address.ts"
import { LiveList } from "#app/traces/_list/live-list.tsx"
import { ListChart } from "#app/traces/_overview/list-chart.tsx"
import type { OverviewParts } from "#app/traces/_overview/read-overview.ts"
import type { FilterProblem } from "#otel/inspector/queries/filters.ts"
import { type TraceList, traceSummaryToJson } from "#otel/inspector/queries/list/trace-summary.ts"
import styles from "./traces-view.module.css"

export interface TracesViewProps {
  /** `undefined` when the filter does not parse. */
  readonly result: Deferred<TraceList> | undefined
  readonly overview: OverviewParts | undefined
  readonly place: ListPlace
  /** Cursor after which the page starts. */
  readonly after: string | undefined
  readonly own: InternalTelemetry
  readonly problem: FilterProblem | undefined
  readonly notices: readonly string[]
  readonly renderedAt: number
}

export function TracesView(props: TracesViewProps) {
  const { result, overview, place, after, own, problem, notices, renderedAt } = props
  // A new key suspends again, instead of keeping the previous counts on screen.
  const countKey = JSON.stringify([place.filter, place.since, place.until, own.isHidden])
  const isEverything = place.filter === "" && place.since === undefined && place.until === undefined
  return (
    <>
      <h1 className="visually-hidden">Traces</h1>
      <FilterBar path="/traces" place={place} problem={problem}>
        <Link href={previousWindowAddress(place.filter, place, renderedAt)} prefetch={false}>
          Compare
        </Link>
        <InternalTelemetrySwitch isHidden={own.isHidden} />
      </FilterBar>
      <Notices notices={notices} />
      {result !== undefined && overview !== undefined && (
        <div className={styles.body}>
          <Facets countKey={countKey} place={place} overview={overview} />
          <div className={styles.list}>
            <ListChart countKey={countKey} place={place} overview={overview} />
            {result.is === "pending" && <SlowQuery key={result.id} id={result.id} ended={result.ended} />}
            <Suspense key={JSON.stringify([place, after, own.isHidden])} fallback={<div className={styles.wait} />}>
              <ListResult result={result} address={listAddress({ ...place, after })}>
                {({ traces, next }) => (
                  <LiveList
                    traces={traces.map(traceSummaryToJson)}
                    next={next}
                    counts={overview.counts}
                    place={place}
                    after={after}
                    own={own}
                    renderedAt={renderedAt}
                  >
                    {isEverything ? <NothingYet /> : <NoMatch />}
                  </LiveList>
                )}
              </ListResult>
            </Suspense>
          </div>
        </div>
      )}
    </>
  )
}

function NoMatch() {
  return <p className={styles.none}>No trace matches. New matches appear here live.</p>
}
