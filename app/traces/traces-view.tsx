import Link from "next/link"
import type { TraceListQuery } from "#otel/query/trace-reader.ts"
import type { TraceSummaryJson } from "#otel/wire/trace-summary-json.ts"
import { FilterBar } from "#app/traces/filter-bar.tsx"
import { listAddress } from "#app/traces/list-address.ts"
import { LiveList } from "#app/traces/live-list.tsx"
import { TraceTable } from "#app/traces/trace-table.tsx"
import { countOf } from "#app/ui/format-count.ts"
import { NothingYet } from "#app/ui/nothing-yet.tsx"
import { Notices } from "#app/ui/notices.tsx"
import { serviceColours } from "#app/ui/service-colours.ts"
import styles from "./traces-view.module.css"

export interface TracesViewProps {
  readonly traces: readonly TraceSummaryJson[]
  /** Cursor of the page of older traces. */
  readonly next: string | undefined
  readonly query: TraceListQuery
  readonly since: string | undefined
  readonly notices: readonly string[]
  readonly renderedAt: number
}

export function TracesView({ traces, next, query, since, notices, renderedAt }: TracesViewProps) {
  const { service, after, limit } = query
  const place = { service, since, limit }
  return (
    <>
      <h1 className="visually-hidden">Traces</h1>
      <FilterBar service={service} since={since} services={servicesOf(traces)}>
        {countSaid(traces.length, after !== undefined, next !== undefined)}
      </FilterBar>
      <Notices notices={notices} />
      {after === undefined ? (
        <LiveList key={`${service} ${since}`} traces={traces} filter={{ service }} renderedAt={renderedAt}>
          {service === undefined && since === undefined ? <NothingYet /> : <NoMatch />}
        </LiveList>
      ) : (
        <OlderTraces traces={traces} renderedAt={renderedAt} />
      )}
      <nav aria-label="Pages of traces" className={styles.pages}>
        {after !== undefined && (
          <Link href={listAddress(place)} prefetch={false}>
            ← Back to the latest
          </Link>
        )}
        {next !== undefined && (
          <Link href={listAddress({ ...place, after: next })} prefetch={false} className={styles.older}>
            Older →
          </Link>
        )}
      </nav>
    </>
  )
}

function OlderTraces({ traces, renderedAt }: Pick<TracesViewProps, "traces" | "renderedAt">) {
  if (traces.length === 0) return <p className={styles.none}>No older trace. It may have gone by retention.</p>
  return (
    <TraceTable
      traces={traces}
      caption="Older traces"
      colours={serviceColours(servicesOf(traces))}
      renderedAt={renderedAt}
    />
  )
}

function NoMatch() {
  return <p className={styles.none}>No trace matches. One that does appears here by itself.</p>
}

/** Never a total that was not counted: a full page says that there is more. */
function countSaid(count: number, older: boolean, more: boolean): string {
  if (older) return `${countOf(count, "older trace")}, not live`
  return more ? `The latest ${countOf(count, "trace")}` : countOf(count, "trace")
}

function servicesOf(traces: readonly TraceSummaryJson[]): string[] {
  return [...new Set(traces.flatMap(({ services }) => services))].sort()
}
