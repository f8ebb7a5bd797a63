import { Suspense } from "react"
import { type FilterProblem, textWithoutOwn } from "#otel/query/filter/index.ts"
import type { TraceList } from "#otel/model/trace-summary.ts"
import type { OwnActivity } from "#app/feed/own-activity.ts"
import { LongReading } from "#app/feed/long-reading.tsx"
import { OwnSwitch } from "#app/feed/own-switch.tsx"
import type { SoonOrLater } from "#app/feed/soon-or-later.ts"
import { Facets } from "#app/traces/facets.tsx"
import { FilterBar } from "#app/traces/filter-bar.tsx"
import { Histogram } from "#app/traces/histogram.tsx"
import { listAddress, type ListPlace } from "#app/traces/list-address.ts"
import { ReadList } from "#app/traces/read-list.tsx"
import type { OverviewParts } from "#app/traces/read-overview.ts"
import { NothingYet } from "#app/ui/nothing-yet.tsx"
import { Notices } from "#app/ui/notices.tsx"
import styles from "./traces-view.module.css"

export interface TracesViewProps {
  /** `undefined` where the filter cannot be read. */
  readonly reading: SoonOrLater<TraceList> | undefined
  readonly overview: OverviewParts | undefined
  readonly place: ListPlace
  /** The cursor behind which the page begins. */
  readonly after: string | undefined
  readonly own: OwnActivity
  readonly problem: FilterProblem | undefined
  readonly notices: readonly string[]
  readonly renderedAt: number
}

export function TracesView(props: TracesViewProps) {
  const { reading, overview, place, after, own, problem, notices, renderedAt } = props
  // Another question is another place to wait at: what was shown for the one before would hold up the rows.
  const question = JSON.stringify([place.filter, place.since, place.until, own.isHidden])
  const isEverything = place.filter === "" && place.since === undefined && place.until === undefined
  return (
    <>
      <h1 className="visually-hidden">Traces</h1>
      <FilterBar place={place} problem={problem}>
        <OwnSwitch isHidden={own.isHidden} />
      </FilterBar>
      <Notices notices={notices} />
      {reading !== undefined && overview !== undefined && (
        <div className={styles.body}>
          <Facets question={question} place={place} overview={overview} />
          <div className={styles.list}>
            <Suspense key={question} fallback={<div className={styles.chart} />}>
              <div className={styles.chart}>
                <Histogram counts={overview.counts} place={place} />
              </div>
            </Suspense>
            {reading.is === "later" && <LongReading key={reading.id} id={reading.id} ended={reading.ended} />}
            <Suspense key={JSON.stringify([place, after, own.isHidden])} fallback={<div className={styles.wait} />}>
              <ReadList
                reading={reading}
                address={listAddress({ ...place, after })}
                counts={overview.counts}
                place={place}
                after={after}
                question={own.isHidden ? textWithoutOwn(place.filter, own.services) : place.filter}
                renderedAt={renderedAt}
              >
                {isEverything ? <NothingYet /> : <NoMatch />}
              </ReadList>
            </Suspense>
          </div>
        </div>
      )}
    </>
  )
}

function NoMatch() {
  return <p className={styles.none}>No trace matches. One that does appears here by itself.</p>
}
