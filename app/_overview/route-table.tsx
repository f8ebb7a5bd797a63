import Link from "next/link"
import { Sparkline } from "#app/_ui/chart/sparkline.tsx"
import { countOf, formatCount } from "#app/_ui/format/quantity.ts"
import { shownName } from "#app/_ui/format/text.ts"
import { formatDuration } from "#app/_ui/format/time.ts"
import { termText } from "#otel/inspector/queries/filters.ts"
import type { EntryStats } from "#otel/inspector/queries/list/entry-stats.ts"
import styles from "./small-table.module.css"

interface RouteTableProps {
  readonly routes: readonly EntryStats[]
  /** Total number of routes. */
  readonly of: number
  /** The window, as an age. */
  readonly since: string
}

export function RouteTable({ routes, of, since }: RouteTableProps) {
  return (
    <section aria-labelledby="slowest-routes">
      <h2 id="slowest-routes" className={styles.heading}>
        Slowest routes {of > routes.length && <small>{`${routes.length} of ${formatCount(of)}`}</small>}
      </h2>
      <table className={styles.table} aria-labelledby="slowest-routes">
        <thead>
          <tr>
            <th scope="col">Route</th>
            <th scope="col" className={styles.trend}>
              Trend
            </th>
            <th scope="col" className={styles.number}>
              p50
            </th>
            <th scope="col" className={styles.number}>
              p95
            </th>
            <th scope="col" className={styles.number}>
              Slowest
            </th>
          </tr>
        </thead>
        <tbody>
          {routes.map((stats) => (
            <RouteRow key={`${stats.entry} ${stats.route}`} stats={stats} since={since} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function RouteRow({ stats, since }: { stats: EntryStats } & Pick<RouteTableProps, "since">) {
  const { route, entry, count, p50, p95, slowest, slowestTraceId, bars } = stats
  return (
    <tr>
      <th scope="row" title={shownName(route)}>
        <Link href={`/traces?${new URLSearchParams({ q: termText("route", route), since })}`} prefetch={false}>
          {shownName(route)}
        </Link>{" "}
        <small>{shownName(entry)}</small>
      </th>
      <td className={styles.trend}>
        <Sparkline values={bars} label={countOf(count, "request")} />
      </td>
      <td className={styles.number}>{formatDuration(p50)}</td>
      <td className={styles.number}>{formatDuration(p95)}</td>
      <td className={styles.number}>
        <Link href={`/traces/${slowestTraceId}`} prefetch={false}>
          {formatDuration(slowest)}
          <span className="visually-hidden">, slowest trace of {shownName(route)}</span>
        </Link>
      </td>
    </tr>
  )
}
