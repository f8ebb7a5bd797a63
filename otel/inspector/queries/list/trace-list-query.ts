import { type FilterProblem, misspelledFields, parseFilter, type RunLookup } from "../../search/index.ts"
import { fromCursor } from "./list-cursor.ts"
import { LIST_PAGE_LIMIT, LIST_PAGE_SIZE, ParameterReader } from "./parameter-reader.ts"
import { readMoments } from "./time-range.ts"
import { parseTraceOrder, TRACE_ORDERS, type TraceListQuery } from "./trace-reader.ts"

export interface ParsedTraceListQuery {
  readonly query: TraceListQuery
  /** The texts of the valid parameters, for the form and for links. */
  readonly filter: string
  readonly since: string | undefined
  readonly until: string | undefined
  /** Why the filter is invalid. Callers show it in place of a list: without the filter, other traces would appear. */
  readonly problem: FilterProblem | undefined
  /** Why `after` is invalid: the notice with which the read API refuses it. */
  readonly refusal: string | undefined
  /** One sentence for each value that was ignored, and for each key of the filter that is almost a field. */
  readonly notices: readonly string[]
}

/**
 * Reads the query parameters that `/traces` and `GET /api/traces` share: `q`, `service`, `since`, `until`, `sort`, `after`,
 * `limit`. Never throws: an invalid value is ignored or replaced by its default, with a notice.
 *
 * @param nowMs milliseconds since the epoch: an age like `15m` counts back from it.
 */
export function parseTraceListQuery(
  parameters: URLSearchParams,
  nowMs: number,
  runs?: RunLookup,
): ParsedTraceListQuery {
  const reader = new ParameterReader(parameters)
  const { since, until } = readMoments(reader, nowMs)
  const filter = parameters.get("q")?.trim() ?? ""
  const { tree, problem } = parseFilter(filter, runs)
  const order = reader.read(
    "sort",
    parseTraceOrder,
    `one of ${TRACE_ORDERS.join(", ")}, followed by -asc for ascending order`,
  )
  const query: TraceListQuery = {
    limit: reader.limit(LIST_PAGE_SIZE, LIST_PAGE_LIMIT),
    after: reader.cursor((text) => fromCursor(`traces-${order?.by ?? "time"}`, text) !== undefined),
    service: reader.text("service"),
    order,
    since,
    until,
    filter: tree,
  }
  const text = (name: string, value: unknown) => (value === undefined ? undefined : parameters.get(name)?.trim())
  const notices = [...reader.notices, ...misspelledFields(filter)]
  return {
    query,
    filter,
    since: text("since", since),
    until: text("until", until),
    problem,
    refusal: reader.refusal,
    notices,
  }
}
