import type { ParsedLogQuery } from "#otel/inspector/queries/logs/log-query.ts"
import { baselineOf } from "#otel/inspector/queries/list/difference-query.ts"
import { LIST_PAGE_SIZE } from "#otel/inspector/queries/list/parameter-reader.ts"
import type { ParsedTraceListQuery } from "#otel/inspector/queries/list/trace-list-query.ts"
import type { ParsedServiceQuery } from "#otel/inspector/queries/services/service-query.ts"

/** A screen with a filter bar. */
export type ListPath = "/traces" | "/logs" | "/services"

/** The state of a list that its URL holds. */
export interface ListPlace {
  readonly filter: string
  readonly since: string | undefined
  readonly until: string | undefined
  /** Such as `duration` or `duration-asc`; `undefined` for newest first. */
  readonly sort: string | undefined
  readonly limit: number
  /** `show` or `hide`; `undefined` when the URL does not say. */
  readonly own: string | undefined
  readonly after?: string | undefined
  /** The chart above a list of traces; `undefined` for the histogram. */
  readonly chart?: ListChart | undefined
  /** What the list was before a region of it was selected; `undefined` without one. */
  readonly baseline?: Baseline | undefined
}

export const LIST_CHARTS = ["heatmap", "differences"] as const
export type ListChart = (typeof LIST_CHARTS)[number]

/** What a region was selected in. */
export type Baseline = Pick<ListPlace, "filter" | "since" | "until">

/**
 * The URL of a list. Defaults are left out.
 *
 * @param path a screen, or a path of the read API with the same parameters.
 */
export function listAddress(place: ListPlace, path: string = "/traces"): string {
  const parameters = listParameters(place)
  return parameters.size === 0 ? path : `${path}?${parameters}`
}

export function listParameters({
  filter,
  since,
  until,
  sort,
  limit,
  own,
  after,
  chart,
  baseline,
}: ListPlace): URLSearchParams {
  const parameters = new URLSearchParams()
  const set = (name: string, value: string | undefined) => {
    if (value !== undefined && value !== "") parameters.set(name, value)
  }
  set("q", filter)
  set("since", since)
  set("until", until)
  set("sort", sort)
  set("own", own)
  set("chart", chart)
  // Also an empty filter, which says that there is a baseline.
  if (baseline !== undefined) parameters.set("baseline", baseline.filter)
  set("baselineSince", baseline?.since)
  set("baselineUntil", baseline?.until)
  if (limit !== LIST_PAGE_SIZE) parameters.set("limit", String(limit))
  set("after", after)
  return parameters
}

/** The place of a list of traces that a parsed query describes, with what the URL says besides. */
export function listPlace(
  { query, filter, since, until }: ParsedTraceListQuery,
  parameters: URLSearchParams = new URLSearchParams(),
): ListPlace {
  const { order, limit } = query
  const own = parameters.get("own") ?? undefined
  const chart = LIST_CHARTS.find((each) => each === parameters.get("chart"))
  const sort = order === undefined ? undefined : `${order.by}${order.isAscending ? "-asc" : ""}`
  return {
    filter,
    since,
    until,
    sort: sort === "time" ? undefined : sort,
    limit,
    own,
    chart,
    baseline: baselineOf(parameters),
  }
}

/** The place of a region of a list. Regions within regions have the first list as their baseline. */
export function regionPlace(place: ListPlace, region: Partial<Baseline>): ListPlace {
  const { filter, since, until, baseline = { filter, since, until } } = place
  return { ...place, ...region, baseline, after: undefined }
}

/** The list that the region was selected in. */
export function wholePlace({ baseline, ...place }: ListPlace): ListPlace {
  return { ...place, ...baseline, after: undefined }
}

/** The same, of the services of some traces, which have no pages. */
export function servicesPlace({ filter, range, sort }: ParsedServiceQuery, own: string | undefined): ListPlace {
  return { filter, since: range.since, until: range.untilText, sort, limit: LIST_PAGE_SIZE, own }
}

/** The same, of a list of logs, which has one order. */
export function logsPlace({ query, filter, since, until }: ParsedLogQuery): ListPlace {
  return { filter, since, until, sort: undefined, limit: query.limit, own: undefined }
}
