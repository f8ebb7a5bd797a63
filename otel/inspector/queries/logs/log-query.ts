import {
  type FilterProblem,
  hasTerm,
  LOG_FIELDS,
  misspelledFields,
  parseLogFilter,
  termText,
  toggleTerm,
} from "../../search/index.ts"
import { fromCursor } from "../list/list-cursor.ts"
import { LIST_PAGE_LIMIT, LIST_PAGE_SIZE, ParameterReader } from "../list/parameter-reader.ts"
import { readMoments } from "../list/time-range.ts"
import type { LogListQuery } from "./log-reader.ts"

export interface ParsedLogQuery {
  readonly query: LogListQuery
  /** The texts of the valid parameters, for the form and for links. The filter includes `service`. */
  readonly filter: string
  readonly since: string | undefined
  readonly until: string | undefined
  /** Characters after which a body and the values of attributes are cut; `undefined` does not cut. */
  readonly cut: number | undefined
  /** Why the filter is invalid. Callers show it in place of a list: without the filter, other logs would appear. */
  readonly problem: FilterProblem | undefined
  /** Why `after` is invalid: the notice with which the read API refuses it. */
  readonly refusal: string | undefined
  /** One sentence for each value that was ignored. */
  readonly notices: readonly string[]
}

/**
 * Reads the query parameters that `/logs`, `GET /api/logs` and `GET /api/traces/{traceId}/logs` share: `q`, `service`,
 * `since`, `until`, `order`, `after`, `limit`, `cut`. Never throws: an invalid value is ignored or replaced by its default, with a notice.
 *
 * @param nowMs milliseconds since the epoch: an age like `15m` counts back from it.
 * @param traceId only logs of this trace, by default oldest first.
 */
export function parseLogQuery(
  parameters: URLSearchParams,
  nowMs: number,
  traceId?: LogListQuery["traceId"],
): ParsedLogQuery {
  const reader = new ParameterReader(parameters)
  const { since, until } = readMoments(reader, nowMs)
  const service = reader.text("service")
  const written = parameters.get("q")?.trim() ?? ""
  const term = service === undefined ? undefined : termText("service", service)
  const filter = term === undefined || hasTerm(written, term) ? written : toggleTerm(written, term)
  const { tree, problem } = parseLogFilter(filter)
  const order = reader.oneOf("order", ["newest", "oldest"])
  const query: LogListQuery = {
    limit: reader.limit(traceId === undefined ? LIST_PAGE_SIZE : LIST_PAGE_LIMIT, LIST_PAGE_LIMIT),
    after: reader.cursor((text) => fromCursor("logs", text) !== undefined),
    since,
    until,
    filter: tree,
    traceId,
    isOldestFirst: (order ?? (traceId === undefined ? "newest" : "oldest")) === "oldest",
  }
  const cut = reader.read(
    "cut",
    (text) => (/^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined),
    "a number of characters",
  )
  const text = (name: string, value: unknown) => (value === undefined ? undefined : parameters.get(name)?.trim())
  const notices = [...reader.notices, ...misspelledFields(filter, LOG_FIELDS)]
  const { refusal } = reader
  return { query, filter, since: text("since", since), until: text("until", until), cut, problem, refusal, notices }
}
