import Link from "next/link"
import { formatCount } from "#app/_ui/format/quantity.ts"
import { shownName } from "#app/_ui/format/text.ts"
import { FailedShare } from "#app/_ui/format/share.tsx"
import table from "#app/_ui/layout/data-table.module.css"
import { formatMs } from "#app/routes/figures.ts"
import { routeAddress } from "#app/routes/route-address.ts"
import { tracesAddress } from "#app/services/service-address.ts"
import type { RouteSummary } from "#otel/inspector/queries/routes/route-reader.ts"
import type { ParsedServiceQuery } from "#otel/inspector/queries/services/service-query.ts"
import type { ServiceOperation } from "#otel/inspector/queries/services/service-reader.ts"
import styles from "./service-view.module.css"

interface OperationTableProps {
  readonly service: string
  readonly operations: readonly ServiceOperation[]
  readonly query: ParsedServiceQuery
}

/** The entries by name. Each name leads to its traces in the same window. */
export function OperationTable({ service, operations, query }: OperationTableProps) {
  return (
    <section aria-labelledby="operations">
      <h2 id="operations">Operations</h2>
      <table className={table.table} aria-labelledby="operations">
        <thead>
          <tr>
            <th scope="col">Span</th>
            <th scope="col" className={table.small}>
              Entries
            </th>
            <th scope="col" className={table.number}>
              Errors
            </th>
            <th scope="col" className={`${table.number} ${table.wide}`}>
              p50
            </th>
            <th scope="col" className={table.number}>
              p95
            </th>
          </tr>
        </thead>
        <tbody>
          {operations.map((operation) => (
            <tr key={operation.name}>
              <th scope="row" aria-label={shownName(operation.name)}>
                <Link href={tracesAddress(service, query.filter, query.range, operation.name)} prefetch={false}>
                  <bdi>{shownName(operation.name)}</bdi>
                </Link>
              </th>
              <td className={table.small}>{formatCount(operation.count)}</td>
              <td className={table.number}>
                <FailedShare {...operation} />
              </td>
              <td className={`${table.number} ${table.wide}`}>{formatMs(operation.p50)}</td>
              <td className={table.number}>{formatMs(operation.p95)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

interface RouteLinksProps {
  readonly routes: readonly RouteSummary[]
  readonly service: string
  /** Parameters of the window. */
  readonly window: Readonly<Record<string, string>>
}

/** Routes that are listed. */
const ROUTES = 30

/** The routes that the service serves or shows, each with its screen in the same window. */
export function RouteLinks({ routes, service, window }: RouteLinksProps) {
  if (routes.length === 0) return null
  const search = new URLSearchParams({ service, ...window })
  return (
    <section aria-labelledby="routes">
      <h2 id="routes">
        Routes{" "}
        <Link href={`/routes?${search}`} prefetch={false}>
          All routes of this service
        </Link>
      </h2>
      <ul className={styles.routes}>
        {routes.slice(0, ROUTES).map(({ route }) => (
          <li key={route}>
            <Link href={`${routeAddress(route)}?${search}`} prefetch={false}>
              <bdi>{shownName(route)}</bdi>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
