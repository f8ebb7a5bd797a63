import { type FilterProblem, parseFilter, type RunLookup } from "../../search/index.ts"
import { moment, momentOrAge } from "./time-range.ts"
import { TRACE_ORDERS, type TraceListQuery, type TraceOrder } from "./trace-reader.ts"

/**
 * Reads the query parameters that the trace list and `GET /api/traces` share: `q`, `service`, `since`, `until`, `sort`,
 * `after`, `limit`. It never throws: a value that cannot be used is left out or replaced by its default, and said in
 * `notices`. A filter that cannot be read is a `problem` instead: without it other traces would be shown than asked for.
 */

/** Traces on a page of the list when the URL names no number, and the most it may ask for. */
export const TRACE_PAGE_SIZE = 100
export const TRACE_PAGE_LIMIT = 1_000

/** A service name or cursor longer than this is a mistake or an attack. Cursors of ours are under 100 characters. */
const TEXT_LIMIT = 512
const SHOWN_LIMIT = 40
const CURSOR = /^[\w.,:;~+/=-]+$/

export interface ParsedTraceListQuery {
  readonly query: TraceListQuery
  /** The texts of what was usable, to show in the form and keep in links. */
  readonly filter: string
  readonly since: string | undefined
  readonly until: string | undefined
  /** Why the filter cannot be read. */
  readonly problem: FilterProblem | undefined
  /** One sentence for each value that was not used. */
  readonly notices: readonly string[]
}

/** @param nowMs Milliseconds since the epoch: an age like `15m` counts back from here. */
export function parseTraceListQuery(
  parameters: URLSearchParams,
  nowMs: number,
  runs?: RunLookup,
): ParsedTraceListQuery {
  const notices: string[] = []
  const read = <T>(name: string, parse: (text: string) => T | undefined, expected: string): T | undefined => {
    const text = parameters.get(name)?.trim()
    if (!text) return undefined
    const value = parse(text)
    if (value === undefined) notices.push(`${name} is ${quoted(text)}, which is not ${expected}`)
    return value
  }
  const since = read(
    "since",
    (text) => momentOrAge(text, nowMs),
    "an age like 15m, 1h or 7d, nor a time like 2026-01-31T12:00:00Z",
  )
  const until = read("until", moment, "a time like 2026-01-31T12:00:00Z")
  const filter = parameters.get("q")?.trim() ?? ""
  const { tree, problem } = parseFilter(filter, runs)
  const query: TraceListQuery = {
    limit: read("limit", pageSize, `a number from 1 to ${TRACE_PAGE_LIMIT}`) ?? TRACE_PAGE_SIZE,
    after: read("after", cursor, "a place in the list"),
    service: read("service", shortText, `a name of at most ${TEXT_LIMIT} characters`),
    order: read("sort", order, `one of ${TRACE_ORDERS.join(", ")}, with -asc behind it for the smallest first`),
    since,
    until,
    filter: tree,
  }
  const text = (name: string, value: unknown) => (value === undefined ? undefined : parameters.get(name)?.trim())
  return { query, filter, since: text("since", since), until: text("until", until), problem, notices }
}

/** `duration` is the longest first, `duration-asc` the shortest. */
function order(text: string): TraceOrder | undefined {
  const isAscending = text.endsWith("-asc")
  const by = TRACE_ORDERS.find((known) => known === text.replace(/-asc$/, ""))
  return by === undefined ? undefined : { by, isAscending }
}

function pageSize(text: string): number | undefined {
  const size = /^\d{1,4}$/.test(text) ? Number(text) : 0
  return size >= 1 && size <= TRACE_PAGE_LIMIT ? size : undefined
}

function cursor(text: string): string | undefined {
  return text.length <= TEXT_LIMIT && CURSOR.test(text) ? text : undefined
}

function shortText(text: string): string | undefined {
  return text.length <= TEXT_LIMIT && !text.includes("\0") ? text : undefined
}

function quoted(text: string): string {
  return JSON.stringify(text.length > SHOWN_LIMIT ? `${text.slice(0, SHOWN_LIMIT)}…` : text)
}
