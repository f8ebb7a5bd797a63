import { Suspense } from "react"
import { type FilterProblem, textWithoutOwn } from "#otel/query/filter/index.ts"
import type { TraceSummaryJson } from "#otel/wire/trace-summary-json.ts"
import type { OwnActivity } from "#app/feed/own-activity.ts"
import { OwnSwitch } from "#app/feed/own-switch.tsx"
import { Facets } from "#app/traces/facets.tsx"
import { FilterBar } from "#app/traces/filter-bar.tsx"
import { Histogram } from "#app/traces/histogram.tsx"
import type { ListPlace } from "#app/traces/list-address.ts"
import { LiveList } from "#app/traces/live-list.tsx"
import type { OverviewParts } from "#app/traces/read-overview.ts"
import { NothingYet } from "#app/ui/nothing-yet.tsx"
import { Notices } from "#app/ui/notices.tsx"
import styles from "./traces-view.module.css"

export interface TracesViewProps {
  readonly traces: readonly TraceSummaryJson[]
  /** Cursor of the page that follows. */
  readonly next: string | undefined
  /** `undefined` where the filter cannot be read. */
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
  const { traces, next, overview, place, after, own, problem, notices, renderedAt } = props
  const isEverything = place.filter === "" && place.since === undefined && place.until === undefined
  return (
    <>
      <h1 className="visually-hidden">Traces</h1>
      <FilterBar place={place} problem={problem}>
        <OwnSwitch isHidden={own.isHidden} />
      </FilterBar>
      <Notices notices={notices} />
      {overview !== undefined && (
        <div className={styles.body}>
          <Facets place={place} overview={overview} />
          <div className={styles.list}>
            <Suspense fallback={<div className={styles.chart} />}>
              <div className={styles.chart}>
                <Histogram counts={overview.counts} place={place} />
              </div>
            </Suspense>
            <LiveList
              key={JSON.stringify([place, after, own.isHidden])}
              traces={traces}
              next={next}
              counts={overview.counts}
              place={place}
              after={after}
              question={own.isHidden ? textWithoutOwn(place.filter, own.services) : place.filter}
              renderedAt={renderedAt}
            >
              {isEverything ? <NothingYet /> : <NoMatch />}
            </LiveList>
          </div>
        </div>
      )}
    </>
  )
}

function NoMatch() {
  return <p className={styles.none}>No trace matches. One that does appears here by itself.</p>
}
