import { nanoseconds } from "../../../protocol/records/time.ts"
import type { RouteKind, RouteList, RouteScope, RouteSummary, RouteTimes } from "../routes/route-reader.ts"
import { compareMeasured, type Difference } from "./comparison.ts"
import type { CompareReader } from "./compare-reader.ts"

/**
 * The list with the change of each median against the window of equal length before. A list of one service has none: its
 * routes are selected by span, those of a comparison by trace.
 */
export async function withChanges(reader: CompareReader, list: RouteList, scope: RouteScope): Promise<RouteList> {
  const { from, until, service, hidden } = scope
  if (service !== undefined) return list
  const before = nanoseconds(from > until - from ? from - (until - from) : 0n)
  const { routes } = await reader.measureRoutes(
    { since: before, until: from, withoutServices: hidden },
    { since: from, until, withoutServices: hidden },
  )
  const changes = new Map(
    routes.map(({ route, kind, a, b }) => [keyOf(route, kind), compareMeasured(a, b).difference?.p50]),
  )
  return { ...list, routes: list.routes.map((route) => withChange(route, changes)) }
}

function withChange(route: RouteSummary, changes: ReadonlyMap<string, Difference | undefined>): RouteSummary {
  const times = Object.entries(route.times).map(([kind, figures]): [string, RouteTimes] => [
    kind,
    { ...figures, p50Change: changes.get(keyOf(route.route, kind as RouteKind)) },
  ])
  return { ...route, times: Object.fromEntries(times) }
}

function keyOf(route: string, kind: RouteKind): string {
  return `${kind} ${route}`
}
