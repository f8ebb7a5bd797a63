import Link from "next/link"
import { traceSummaryToJson } from "#otel/wire/trace-summary-json.ts"
import type { OwnActivity } from "#app/feed/own-activity.ts"
import { OwnSwitch } from "#app/feed/own-switch.tsx"
import { RefreshOnLive } from "#app/feed/refresh-on-live.tsx"
import { ActivityChart } from "#app/now/activity-chart.tsx"
import { HealthLine, type HealthLineProps } from "#app/now/health-line.tsx"
import { IssueTable } from "#app/now/issue-table.tsx"
import { LatestItems } from "#app/now/latest-items.tsx"
import { NOW_MS, type NowData } from "#app/now/read-now.ts"
import { RouteTable } from "#app/now/route-table.tsx"
import { ServiceTable } from "#app/now/service-table.tsx"
import { TraceTable } from "#app/traces/trace-table.tsx"
import { countOf } from "#app/ui/format-count.ts"
import { NothingYet } from "#app/ui/nothing-yet.tsx"
import { serviceColours } from "#app/ui/service-colours.ts"
import styles from "./now-view.module.css"

/** Rows of each list: this screen is for a glance. */
const ROWS = 8

export interface NowViewProps extends NowData {
  readonly own: OwnActivity
  readonly health: HealthLineProps["health"]
  /** Only items of this type are listed; `undefined` for all. */
  readonly itemType: string | undefined
  readonly parameters: URLSearchParams
  readonly renderedAt: number
}

export function NowView(props: NowViewProps) {
  const { latest, overview, byService, byRoute, issues, own, health, renderedAt } = props
  const colours = serviceColours([
    ...byService.map(({ service }) => service),
    ...latest.flatMap(({ services }) => services),
  ])
  // A route is slow by what is usual for it, not by its one slowest call.
  const slowest = byRoute.toSorted((a, b) => (a.p95 === b.p95 ? 0 : a.p95 > b.p95 ? -1 : 1))
  return (
    <RefreshOnLive className={styles.now}>
      <h1 className="visually-hidden">Now</h1>
      <HealthLine health={health} />
      {latest.length === 0 ? (
        <NothingYet />
      ) : (
        <>
          <div className={styles.heading}>
            <p>
              {countOf(overview.traces, "trace")} in the last {NOW_MS / 60_000} minutes, {overview.failed} failed
            </p>
            <OwnSwitch isHidden={own.isHidden} />
          </div>
          <ActivityChart bars={overview.bars} steps={overview.steps} />
          {byService.length > 0 && (
            <div className={styles.halves}>
              <ServiceTable services={byService.slice(0, ROWS)} of={byService.length} colours={colours} />
              <RouteTable routes={slowest.slice(0, ROWS)} of={slowest.length} />
            </div>
          )}
          <IssueTable issues={issues} renderedAt={renderedAt} />
          <section aria-labelledby="latest-traces">
            <div className={styles.heading}>
              <h2 id="latest-traces">Latest traces</h2>
              <Link href="/traces" prefetch={false}>
                All traces
              </Link>
            </div>
            <TraceTable
              traces={latest.map(traceSummaryToJson)}
              caption="Latest traces"
              colours={colours}
              renderedAt={renderedAt}
            />
          </section>
        </>
      )}
      <LatestItems
        items={props.items}
        types={props.itemTypes}
        type={props.itemType}
        parameters={props.parameters}
        renderedAt={renderedAt}
      />
    </RefreshOnLive>
  )
}
