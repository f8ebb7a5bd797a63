import { type ParsedTraceListQuery, TRACE_PAGE_SIZE } from "#otel/inspector/queries/list/trace-list-query.ts"

/** What of the list's state a URL holds, as it is written there. */
export interface ListPlace {
  readonly filter: string
  readonly since: string | undefined
  readonly until: string | undefined
  /** `duration`, `duration-asc`; `undefined` for the latest first. */
  readonly sort: string | undefined
  readonly limit: number
  /** `show` or `hide`, where the URL says so. */
  readonly own: string | undefined
  readonly after?: string | undefined
}

/** The URL of a place in the trace list. What is at its default is left out. */
export function listAddress(place: ListPlace, path = "/traces"): string {
  const parameters = listParameters(place)
  return parameters.size === 0 ? path : `${path}?${parameters}`
}

export function listParameters({ filter, since, until, sort, limit, own, after }: ListPlace): URLSearchParams {
  const parameters = new URLSearchParams()
  const set = (name: string, value: string | undefined) => {
    if (value !== undefined && value !== "") parameters.set(name, value)
  }
  set("q", filter)
  set("since", since)
  set("until", until)
  set("sort", sort)
  set("own", own)
  if (limit !== TRACE_PAGE_SIZE) parameters.set("limit", String(limit))
  set("after", after)
  return parameters
}

/** The place that a query was read from; a `service` of its own becomes part of the filter. */
export function listPlace({ query, filter, since, until }: ParsedTraceListQuery, own: string | undefined): ListPlace {
  const { order, limit } = query
  const sort = order === undefined ? undefined : `${order.by}${order.isAscending ? "-asc" : ""}`
  return { filter, since, until, sort: sort === "time" ? undefined : sort, limit, own }
}
