import { type FilterProblem, misspelledFields, parseFilter, type RunLookup } from "../../search/index.ts"
import { ParameterReader } from "../list/parameter-reader.ts"
import { parseTimeRange, type TimeRange } from "../list/time-range.ts"
import { type TimeSteps, timeSteps } from "../list/trace-overview.ts"
import type { TraceScope } from "../list/trace-reader.ts"
import type { ServiceCall, ServiceList, ServiceSummary } from "./service-reader.ts"

const SERVICE_SORTS = ["busy", "name", "p50", "p95", "errors"] as const
export type ServiceSort = (typeof SERVICE_SORTS)[number]

/** The window of services without `since`, as that of routes. */
export const SERVICE_WINDOW = "24h"

export interface ParsedServiceQuery {
  readonly scope: TraceScope
  readonly range: TimeRange
  readonly steps: TimeSteps
  /** Text of the filter, for the form and for links. */
  readonly filter: string
  readonly sort: ServiceSort | undefined
  /** Why the filter is invalid. Callers show it in place of services: without the filter, other traces would count. */
  readonly problem: FilterProblem | undefined
  readonly notices: readonly string[]
}

/** Query parameters of `/services`, `/services/…`, `GET /api/services` and `…/{name}`: `q`, `sort`, `since`, `until`. */
export function parseServiceQuery(parameters: URLSearchParams, nowMs: number, runs?: RunLookup): ParsedServiceQuery {
  const reader = new ParameterReader(parameters)
  const range = parseTimeRange(reader, nowMs, SERVICE_WINDOW)
  const filter = parameters.get("q")?.trim() ?? ""
  const { tree, problem } = parseFilter(filter, runs)
  const sort = reader.oneOf("sort", SERVICE_SORTS)
  return {
    scope: { since: range.from, until: range.until, filter: tree },
    range,
    steps: timeSteps(range.fromMs, range.toMs),
    filter,
    sort,
    problem,
    notices: [...reader.notices, ...misspelledFields(filter)],
  }
}

/** Worst first, or by name. */
export function sortServices(services: readonly ServiceSummary[], sort: ServiceSort): readonly ServiceSummary[] {
  if (sort === "name") return services.toSorted((a, b) => (a.service < b.service ? -1 : 1))
  return services.toSorted((a, b) => figure(b, sort) - figure(a, sort) || (a.service < b.service ? -1 : 1))
}

function figure({ count, failed, p50, p95 }: ServiceSummary, sort: Exclude<ServiceSort, "name">): number {
  return { busy: count, errors: failed / count, p50, p95 }[sort]
}

/** The calls to a service and from it, without those within it. */
export function callsOf(
  { calls }: Pick<ServiceList, "calls">,
  service: string,
): { readonly callers: readonly ServiceCall[]; readonly callees: readonly ServiceCall[] } {
  const between = calls.filter(({ caller, callee }) => caller !== callee)
  return {
    callers: between.filter(({ callee }) => callee === service),
    callees: between.filter(({ caller }) => caller === service),
  }
}

/** Length of the time that was counted, in milliseconds. */
export function countedMs({ countedFrom }: ServiceList, { toMs }: TimeRange): number {
  return Math.max(1, toMs - Number(countedFrom / 1_000_000n))
}
