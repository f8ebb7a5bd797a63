import Link from "next/link"
import type { RouteActivity } from "#otel/query/latest-activity.ts"
import { DurationBar } from "#app/ui/duration-bar.tsx"
import { formatCount } from "#app/ui/format-count.ts"
import { formatDuration } from "#app/ui/format-duration.ts"
import { shownName } from "#app/ui/shown-text.ts"
import styles from "./small-table.module.css"

/** `of`: how many routes there are in all. */
export function RouteTable({ routes, of }: { routes: readonly RouteActivity[]; of: number }) {
  const longest = Number(routes[0]?.median ?? 1) || 1
  return (
    <section aria-labelledby="slowest-routes">
      <h2 id="slowest-routes" className={styles.heading}>
        Slowest routes {of > routes.length && <small>{`${routes.length} of ${formatCount(of)}`}</small>}
      </h2>
      <table className={styles.table} aria-labelledby="slowest-routes">
        <thead>
          <tr>
            <th scope="col">Route</th>
            <th scope="col" className={styles.bar}>
              Median
            </th>
            <th scope="col" className={styles.number}>
              Slowest
            </th>
            <th scope="col" className={styles.number}>
              Traces
            </th>
          </tr>
        </thead>
        <tbody>
          {routes.map(({ name, median, slowest, slowestTraceId, traces }) => (
            <tr key={name}>
              <th scope="row" title={shownName(name)}>
                <bdi>{shownName(name)}</bdi>
              </th>
              <td className={styles.bar}>
                <DurationBar share={Number(median) / longest} /> <span>{formatDuration(median)}</span>
              </td>
              <td className={styles.number}>
                <Link href={`/traces/${slowestTraceId}`} prefetch={false}>
                  {formatDuration(slowest)}
                  <span className="visually-hidden">, slowest trace of {shownName(name)}</span>
                </Link>
              </td>
              <td className={styles.number}>{formatCount(traces)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
