import Link from "next/link"
import { formatCount } from "#app/_ui/format/quantity.ts"
import { shownName } from "#app/_ui/format/text.ts"
import { FailedShare } from "#app/_ui/format/share.tsx"
import { withParameters } from "#app/_ui/input/parameters.ts"
import { SortHeader } from "#app/_ui/input/sort-header.tsx"
import table from "#app/_ui/layout/data-table.module.css"
import { previousWindowAddress, routeTerm } from "#app/compare/compare-address.ts"
import { DifferenceText } from "#app/compare/difference-text.tsx"
import { routeAddress } from "#app/routes/route-address.ts"
import { VitalMark } from "#app/routes/vital-mark.tsx"
import type { TimeRange } from "#otel/inspector/queries/list/time-range.ts"
import type { RouteSort } from "#otel/inspector/queries/routes/route-query.ts"
import { ROUTE_KINDS, type RouteKind, type RouteSummary } from "#otel/inspector/queries/routes/route-reader.ts"
import { VITAL_MEANINGS } from "#otel/inspector/queries/trace/trace-marks.ts"
import { formatMs, KIND_NAMES } from "./figures.ts"
import styles from "./route-table.module.css"

interface RouteTableProps {
  readonly routes: readonly RouteSummary[]
  readonly kind: RouteKind
  readonly sort: RouteSort
  readonly parameters: URLSearchParams
  readonly range: TimeRange
}

const PERCENTILES = ["p50", "p75", "p95", "p99"] as const
const SHOWN_VITALS = ["lcp", "inp", "cls"] as const
const NARROW: ReadonlySet<string> = new Set(["p75", "p95"])

export function RouteTable({ routes, kind, sort, parameters, range }: RouteTableProps) {
  const window = { since: range.since, until: range.untilText }
  const head = (label: string, by: RouteSort, className = "", title?: string) => (
    <SortHeader
      key={by}
      label={label}
      href={withParameters("/routes", parameters, { sort: by === "busy" ? undefined : by })}
      sorted={sort !== by ? undefined : by === "name" ? "ascending" : "descending"}
      className={className}
      title={title}
    />
  )
  const query = withParameters("", parameters, { q: undefined, sort: undefined, of: kind })
  return (
    <table className={table.table}>
      <caption className="visually-hidden">Routes by {KIND_NAMES[kind].many.toLowerCase()}</caption>
      <thead>
        <tr>
          {head("Route", "name")}
          {ROUTE_KINDS.map((one) =>
            one === kind ? (
              head(KIND_NAMES[one].many, "busy", countClass(true))
            ) : (
              <th key={one} scope="col" className={countClass(false)}>
                {KIND_NAMES[one].many}
              </th>
            ),
          )}
          {PERCENTILES.map((one) => head(one, one, classOf(one)))}
          {head("Δ p50", "change", `${table.change} ${styles.change} ${table.wide}`, "Against the window before")}
          {head("Errors", "errors", table.number)}
          {SHOWN_VITALS.map((one) => head(one.toUpperCase(), one, vitalClass(one), `${VITAL_MEANINGS[one].name}, p75`))}
        </tr>
      </thead>
      <tbody>
        {routes.map((route) => (
          <RouteRow
            key={route.route}
            route={route}
            kind={kind}
            query={query}
            compareHref={previousWindowAddress(routeTerm({ route: route.route, kind }), window, range.toMs)}
          />
        ))}
      </tbody>
    </table>
  )
}

function RouteRow({
  route: { route, times, vitals },
  kind,
  query,
  compareHref,
}: {
  route: RouteSummary
  kind: RouteKind
  query: string
  compareHref: string
}) {
  const name = shownName(route)
  const figures = times[kind]
  return (
    <tr>
      <th scope="row" aria-label={name}>
        <Link href={`${routeAddress(route)}${query}`} prefetch={false} title={name}>
          <bdi>{name}</bdi>
        </Link>
      </th>
      {ROUTE_KINDS.map((one) => (
        <td key={one} className={one === kind ? countClass(true) : `${countClass(false)} ${table.muted}`}>
          {formatCount(times[one]?.count ?? 0)}
        </td>
      ))}
      {PERCENTILES.map((one) => (
        <td key={one} className={classOf(one)}>
          {formatMs(figures?.[one])}
        </td>
      ))}
      <td className={`${table.change} ${styles.change} ${table.wide}`}>
        {figures?.p50Change === undefined ? (
          "–"
        ) : (
          <Link href={compareHref} prefetch={false}>
            <DifferenceText
              difference={figures.p50Change}
              unit="milliseconds"
              before={figures.p50 - figures.p50Change.value}
            />
          </Link>
        )}
      </td>
      <td className={table.number}>{figures === undefined ? "–" : <FailedShare {...figures} />}</td>
      {SHOWN_VITALS.map((vital) => (
        <td key={vital} className={vitalClass(vital)}>
          <VitalMark vital={vital} figure={vitals[vital]} />
        </td>
      ))}
    </tr>
  )
}

function classOf(percentile: string): string {
  if (NARROW.has(percentile)) return table.number ?? ""
  return `${table.number} ${table.wide} ${percentile === "p99" ? styles.p99 : ""}`
}

/** @param isShownKind whether the table is about this kind of root. */
function countClass(isShownKind: boolean): string {
  return isShownKind ? `${table.count} ${styles.count} ${table.wide}` : `${table.count} ${styles.others} ${table.wider}`
}

function vitalClass(vital: (typeof SHOWN_VITALS)[number]): string {
  return `${table.number} ${styles[vital]} ${table.wide}`
}
