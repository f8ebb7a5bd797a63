import type { ComparedPath, ComparedRoute, ComparedSide, Comparison } from "./compare.ts"
import type { ParsedCompareQuery, ParsedSide } from "./compare-query.ts"

/** A comparison as the read API answers it. Durations are in milliseconds. */
export interface ComparisonJson {
  /** The baseline. */
  readonly a: SideJson
  readonly b: SideJson
  readonly routes: readonly ComparedRoute[]
  /** More than `routes` has where `limit` or the store cut it. */
  readonly routeCount: number
  readonly spanPaths: readonly ComparedPath[]
  readonly spanPathCount: number
  /** One sentence for each parameter that was ignored. */
  readonly notices?: readonly string[]
}

interface SideJson extends ComparedSide {
  readonly filter: string
  /** `null` for any time. */
  readonly sinceUnixNano: string | null
  readonly untilUnixNano: string | null
}

export function comparisonToJson(comparison: Comparison, query: ParsedCompareQuery): ComparisonJson {
  const { routes, routeCount, spanPaths } = comparison
  const { limit, notices } = query
  return {
    a: sideToJson(comparison.a, query.a),
    b: sideToJson(comparison.b, query.b),
    routes: routes.slice(0, limit),
    routeCount,
    spanPaths: spanPaths.slice(0, limit),
    spanPathCount: spanPaths.length,
    ...(notices.length > 0 && { notices }),
  }
}

function sideToJson(side: ComparedSide, { filter, scope: { since, until } }: ParsedSide): SideJson {
  return { filter, sinceUnixNano: since?.toString() ?? null, untilUnixNano: until?.toString() ?? null, ...side }
}
