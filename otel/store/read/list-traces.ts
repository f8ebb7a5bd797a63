import type { TraceId } from "../../model/ids.ts"
import type { SpanSource } from "../../model/span.ts"
import { nanoseconds, type Nanoseconds } from "../../model/time.ts"
import type { TraceList, TraceListQuery, TraceSummary } from "../../model/trace-summary.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { fromNanosText, LATEST_TIME, storableTime } from "../rows/timestamp.ts"
import { fromCursor, type ListPosition, toCursor } from "./cursor.ts"
import { findWindowSql, summariseSql, type SummaryRow } from "./list-statements.ts"

/**
 * The trace list: newest start first, in pages that stay in place while traces arrive.
 *
 * The end of `pagespan_starts` holds the newest traces. A page takes as many rows from it as should do, which makes a
 * window of time; sums up the traces that have a row in the window; and keeps those that began in it. A trace with
 * rows in several inserts is so listed where it began, and only there. Where the window held too few, the next one
 * below it is four times as large. No statement reads more than its window's traces.
 */

/** Traces in a page at most. */
const PAGE_LIMIT = 1_000
/** Rows of `pagespan_starts` for each trace wanted, in the first window: a trace has one for each service and insert. */
const ROWS_A_TRACE = 8
const ROWS_A_TRACE_OF_SERVICE = 1.5
const WINDOW_GROWTH = 4

interface ListScope {
  /** Nothing that began before this is listed. */
  readonly oldest: Nanoseconds
  readonly service: string | undefined
}

/** A window of start times: above `above`, up to and with `upTo`. */
interface Window {
  readonly above: Nanoseconds
  readonly upTo: Nanoseconds
  /** Whether nothing older is left below it. */
  readonly last: boolean
}

/** `oldest` bounds every statement: rows past the retention may not have been dropped yet. */
export async function listTraces(
  clickhouse: ClickHouse,
  query: TraceListQuery,
  oldest: Nanoseconds,
): Promise<TraceList> {
  const limit = Math.min(Math.max(1, Math.trunc(query.limit)), PAGE_LIMIT)
  const since = storableTime(query.since ?? oldest)
  const scope: ListScope = { oldest: since > oldest ? since : oldest, service: query.service || undefined }
  const after = query.after === undefined ? undefined : fromCursor(query.after)
  // One more than the page: whether it comes tells whether there is a next page.
  const found = await collect(clickhouse, scope, after, limit + 1)
  const traces = found.slice(0, limit)
  const end = found.length > limit ? traces.at(-1) : undefined
  return { traces, next: end && toCursor({ start: end.startTime, traceId: end.traceId }) }
}

/** The first `wanted` traces behind the cursor, or fewer where there are no more. */
async function collect(
  clickhouse: ClickHouse,
  scope: ListScope,
  after: ListPosition | undefined,
  wanted: number,
): Promise<TraceSummary[]> {
  const found: TraceSummary[] = []
  let size = Math.ceil(wanted * (scope.service === undefined ? ROWS_A_TRACE : ROWS_A_TRACE_OF_SERVICE))
  let upTo = after?.start ?? LATEST_TIME
  for (;;) {
    const window = await findWindow(clickhouse, scope, upTo, size)
    found.push(...(await summarise(clickhouse, scope, window, after, wanted - found.length)))
    if (found.length >= wanted || window.last) return found
    size *= WINDOW_GROWTH
    upTo = window.above
  }
}

async function findWindow(clickhouse: ClickHouse, scope: ListScope, upTo: Nanoseconds, size: number): Promise<Window> {
  const [row] = await clickhouse.select<{ lowest: string; count: number }>(findWindowSql(scope.service !== undefined), {
    oldest: String(scope.oldest),
    upTo: String(upTo),
    service: scope.service ?? "",
    size,
  })
  const below = nanoseconds(scope.oldest - 1n)
  if (!row || row.count < size) return { above: below, upTo, last: true }
  return { above: fromNanosText(row.lowest), upTo, last: false }
}

async function summarise(
  clickhouse: ClickHouse,
  scope: ListScope,
  window: Window,
  after: ListPosition | undefined,
  limit: number,
): Promise<TraceSummary[]> {
  const sql = summariseSql({ ofService: scope.service !== undefined, newest: window.upTo === LATEST_TIME })
  const rows = await clickhouse.select<SummaryRow>(sql, {
    above: String(window.above),
    upTo: String(window.upTo),
    oldest: String(scope.oldest),
    service: scope.service ?? "",
    afterStart: String(after?.start ?? LATEST_TIME),
    // Sorts after every id.
    afterId: after?.traceId ?? "~",
    limit,
  })
  return rows.map(toSummary)
}

function toSummary(row: SummaryRow): TraceSummary {
  const startTime = fromNanosText(row.start)
  return {
    traceId: row.traceId as TraceId,
    name: row.name,
    services: [row.rootService, ...row.services.filter((name) => name !== row.rootService)],
    startTime,
    duration: nanoseconds(fromNanosText(row.end) - startTime),
    spanCount: row.spanCount,
    errorCount: row.errorCount,
    sources: row.sources as readonly SpanSource[],
  }
}
