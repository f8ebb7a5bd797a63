import Link from "next/link"
import { InternalTelemetrySwitch } from "#app/_live/internal-telemetry-switch.tsx"
import type { InternalTelemetry } from "#app/_live/internal-telemetry.ts"
import { RefreshOnLive } from "#app/_live/refresh-on-live.tsx"
import { ActivityChart } from "#app/_overview/activity-chart.tsx"
import { HealthLine, type HealthLineProps } from "#app/_overview/health-line.tsx"
import { IssueTable } from "#app/_overview/issue-table.tsx"
import { LatestItems } from "#app/_overview/latest-items.tsx"
import { OVERVIEW_MS, type OverviewData } from "#app/_overview/read-overview.ts"
import { RouteTable } from "#app/_overview/route-table.tsx"
import { ServiceTable, shownServices } from "#app/_overview/service-table.tsx"
import { countOf } from "#app/_ui/format/quantity.ts"
import { serviceColours } from "#app/_ui/format/service-colours.ts"
import { WatchTable } from "#app/_watch/watch-table.tsx"
import { NothingYet } from "#app/_ui/layout/message.tsx"
import { TraceTable } from "#app/traces/_list/trace-table.tsx"
import type { SavedFilterJson } from "#otel/inspector/queries/saved-filters/saved-filter.ts"
import { traceSummaryToJson } from "#otel/inspector/queries/list/trace-summary.ts"
import styles from "./overview-view.module.css"
import small from "./small-table.module.css"

/** The window of the figures, for links. */
const SINCE = `${OVERVIEW_MS / 60_000}m`
/** Rows of each table. */
const ROWS = 8

export interface OverviewViewProps extends OverviewData {
  readonly own: InternalTelemetry
  readonly health: HealthLineProps["health"]
  /** Envelope items of this type are listed; `undefined` lists all. */
  readonly itemType: string | undefined
  readonly parameters: URLSearchParams
  readonly filters: readonly SavedFilterJson[]
  readonly renderedAt: number
}

export function OverviewView(props: OverviewViewProps) {
  const { latest, overview, marks, byService, byRoute, issues, filters, own, health, renderedAt } = props
  const colours = serviceColours([
    ...byService.map(({ service }) => service),
    ...latest.flatMap(({ services }) => services),
  ])
  // Sorted by p95: one slow request does not make a slow route.
  const slowest = byRoute.toSorted((a, b) => (a.p95 === b.p95 ? 0 : a.p95 > b.p95 ? -1 : 1))
  return (
    <RefreshOnLive own={own} className={styles.overview}>
      <h1 className="visually-hidden">Overview</h1>
      <HealthLine health={health} />
      <WatchTable filters={filters} />
      {isInternalOnly(props) && <NotConnected />}
      {latest.length === 0 ? (
        <NothingYet />
      ) : (
        <>
          <div className={styles.heading}>
            <p>
              {countOf(overview.traces, "trace")} in the last {OVERVIEW_MS / 60_000} minutes, {overview.failed} failed
            </p>
            <InternalTelemetrySwitch isHidden={own.isHidden} />
          </div>
          <ActivityChart bars={overview.bars} steps={overview.steps} marks={marks} />
          {byService.length > 0 && (
            <div className={styles.halves}>
              <ServiceTable
                services={shownServices(byService, ROWS)}
                of={byService.length}
                colours={colours}
                since={SINCE}
              />
              <RouteTable routes={slowest.slice(0, ROWS)} of={slowest.length} since={SINCE} />
            </div>
          )}
          <IssueTable issues={issues} renderedAt={renderedAt} />
          <LatestTraces latest={latest} colours={colours} renderedAt={renderedAt} />
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

interface LatestTracesProps extends Pick<OverviewViewProps, "latest" | "renderedAt"> {
  readonly colours: ReturnType<typeof serviceColours>
}

function LatestTraces({ latest, colours, renderedAt }: LatestTracesProps) {
  return (
    <section aria-labelledby="latest-traces">
      <h2 id="latest-traces" className={small.heading}>
        Latest traces{" "}
        <Link href="/traces" prefetch={false}>
          All traces
        </Link>
      </h2>
      <TraceTable
        traces={latest.map(traceSummaryToJson)}
        caption="Latest traces"
        colours={colours}
        renderedAt={renderedAt}
      />
    </section>
  )
}

/** Whether no application has sent a trace: the latest traces are those of the inspector itself. */
function isInternalOnly({ latest, own }: OverviewViewProps): boolean {
  return latest.length > 0 && latest.every(({ services }) => services.every((name) => own.services.includes(name)))
}

function NotConnected() {
  return (
    <p className={styles.first}>
      No application has sent traces yet. Those below are Pagespan’s own.{" "}
      <Link href="/connect">Connect an application</Link>
    </p>
  )
}
