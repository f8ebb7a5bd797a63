import Link from "next/link"
import type { LatestActivity } from "#otel/query/latest-activity.ts"
import type { TraceSummaryJson } from "#otel/wire/trace-summary-json.ts"
import { RefreshOnLive } from "#app/feed/refresh-on-live.tsx"
import { HealthLine, type HealthLineProps } from "#app/now/health-line.tsx"
import { RouteTable } from "#app/now/route-table.tsx"
import { ServiceTable } from "#app/now/service-table.tsx"
import { TraceTable } from "#app/traces/trace-table.tsx"
import { countOf } from "#app/ui/format-count.ts"
import { NothingYet } from "#app/ui/nothing-yet.tsx"
import { serviceColours } from "#app/ui/service-colours.ts"
import styles from "./now-view.module.css"

/** Rows of each list: this screen is for a glance. */
const TRACES = 12
const ROUTES = 8
const SERVICES = 8

export interface NowViewProps {
  readonly traces: readonly TraceSummaryJson[]
  /** There are older traces than these. */
  readonly more: boolean
  readonly activity: LatestActivity
  readonly health: HealthLineProps["health"]
  readonly renderedAt: number
}

export function NowView({ traces, more, activity, health, renderedAt }: NowViewProps) {
  const colours = serviceColours(activity.services.map(({ name }) => name))
  return (
    <RefreshOnLive className={styles.now}>
      <h1 className="visually-hidden">Now</h1>
      <HealthLine health={health} />
      {traces.length === 0 ? (
        <NothingYet />
      ) : (
        <>
          <section aria-labelledby="latest-traces">
            <div className={styles.heading}>
              <h2 id="latest-traces">Latest traces</h2>
              <Link href="/traces" prefetch={false}>
                All traces
              </Link>
            </div>
            <TraceTable
              traces={traces.slice(0, TRACES)}
              caption="Latest traces"
              colours={colours}
              renderedAt={renderedAt}
            />
          </section>
          <p className={styles.scope}>
            {more
              ? `Below: the latest ${countOf(traces.length, "trace")}.`
              : `Below: all ${countOf(traces.length, "trace")}.`}
          </p>
          <div className={styles.halves}>
            <RouteTable routes={activity.routes.slice(0, ROUTES)} of={activity.routes.length} />
            <ServiceTable
              services={activity.services.slice(0, SERVICES)}
              of={activity.services.length}
              colours={colours}
            />
          </div>
        </>
      )}
    </RefreshOnLive>
  )
}
