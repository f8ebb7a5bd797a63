import { type ParsedTraceListQuery, TRACE_PAGE_SIZE } from "#otel/inspector/queries/list/trace-list-query.ts"

/** The state of the trace list that its URL holds. */
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
}

/** The URL of a trace list. Defaults are left out. */
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

/** The place that a parsed query describes. */
export function listPlace({ query, filter, since, until }: ParsedTraceListQuery, own: string | undefined): ListPlace {
  const { order, limit } = query
  const sort = order === undefined ? undefined : `${order.by}${order.isAscending ? "-asc" : ""}`
  return { filter, since, until, sort: sort === "time" ? undefined : sort, limit, own }
}
