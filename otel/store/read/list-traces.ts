import type { TraceId } from "../../model/ids.ts"
import type { SpanSource } from "../../model/span.ts"
import { nanoseconds, type Nanoseconds } from "../../model/time.ts"
import type { TraceList, TraceSummary } from "../../model/trace-summary.ts"
import type { TraceListQuery, TraceOrder } from "../../query/trace-reader.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { fromNanosText, LATEST_TIME } from "../rows/timestamp.ts"
import { fromCursor, type ListPosition, toCursor } from "./cursor.ts"
import { Bindings } from "./filter/bindings.ts"
import { type ListScope, listScope } from "./list-scope.ts"
import { findWindowSql, type PageScope, pageSql, type SummaryRow, type Window } from "./list-statements.ts"

/**
 * The trace list, in pages that stay in place while traces arrive.
 *
 * Newest first, the end of `pagespan_starts` holds what comes first. A page takes as many rows from it as should do,
 * which makes a window of time; sums up the traces that have a row in the window; and keeps those that began in it. A
 * trace with rows in several inserts is so listed where it began, and only there. Where the window held too few, the
 * next one below it is four times as large. No statement reads more than its window's traces.
 *
 * In another order every trace of the scope has to be looked at, which one statement does.
 */

/** Traces in a page at most. */
const PAGE_LIMIT = 1_000
/** Rows of `pagespan_starts` for each trace wanted, in the first window: a trace has one for each service and insert. */
const ROWS_A_TRACE = 8
const ROWS_A_TRACE_OF_SERVICE = 1.5
/** The same where a filter is asked, of which nobody knows how many traces pass it. */
const ROWS_FILTERED = 20_000
const WINDOW_GROWTH = 4
const NEWEST_FIRST: TraceOrder = { by: "time", isAscending: false }

type Page = Omit<PageScope, "window">

/** `oldest` bounds every statement: rows past the retention may not have been dropped yet. */
export async function listTraces(
  clickhouse: ClickHouse,
  query: TraceListQuery,
  oldest: Nanoseconds,
): Promise<TraceList> {
  const limit = Math.min(Math.max(1, Math.trunc(query.limit)), PAGE_LIMIT)
  const order = query.order ?? NEWEST_FIRST
  const after = query.after === undefined ? undefined : fromCursor(query.after)
  // One more than the page: whether it comes tells whether there is a next page.
  const page: Page = { ...listScope(query, oldest), order, after, limit: limit + 1 }
  const isNewestFirst = order.by === "time" && !order.isAscending
  const found = isNewestFirst ? await collect(clickhouse, page) : await readPage(clickhouse, page, undefined)
  const traces = found.slice(0, limit)
  const end = found.length > limit ? traces.at(-1) : undefined
  return { traces, next: end && toCursor(positionOf(end, order)) }
}

/** The first traces behind the cursor, or fewer where there are no more. */
async function collect(clickhouse: ClickHouse, page: Page): Promise<TraceSummary[]> {
  const found: TraceSummary[] = []
  let size = firstSize(page)
  let upTo = newest(page)
  for (;;) {
    const window = await findWindow(clickhouse, page, upTo, size)
    const isNewest = window.upTo === LATEST_TIME
    found.push(...(await readPage(clickhouse, { ...page, limit: page.limit - found.length }, { ...window, isNewest })))
    if (found.length >= page.limit || window.last) return found
    size *= WINDOW_GROWTH
    upTo = window.above
  }
}

function firstSize({ limit, service, filter }: Page): number {
  const size = Math.ceil(limit * (service === undefined ? ROWS_A_TRACE : ROWS_A_TRACE_OF_SERVICE))
  return filter === undefined ? size : Math.max(size, ROWS_FILTERED)
}

/** Where the first window ends. */
function newest({ after, until }: Page): bigint {
  const end = until === undefined ? LATEST_TIME : until - 1n
  return after !== undefined && after.value < end ? after.value : end
}

async function findWindow(clickhouse: ClickHouse, scope: ListScope, upTo: bigint, size: number): Promise<Window> {
  const bindings = new Bindings()
  const sql = findWindowSql(scope, upTo, size, bindings)
  const [row] = await clickhouse.select<{ lowest: string; count: number }>(sql, bindings.values)
  if (!row || row.count < size) return { above: scope.since - 1n, upTo, last: true }
  return { above: fromNanosText(row.lowest), upTo, last: false }
}

async function readPage(clickhouse: ClickHouse, page: Page, window: PageScope["window"]): Promise<TraceSummary[]> {
  const bindings = new Bindings()
  const sql = pageSql({ ...page, window }, bindings)
  const rows = await clickhouse.select<SummaryRow>(sql, bindings.values)
  return rows.map(toSummary)
}

function positionOf(trace: TraceSummary, { by }: TraceOrder): ListPosition {
  const values = {
    time: trace.startTime,
    duration: trace.duration,
    spans: BigInt(trace.spanCount),
    errors: BigInt(trace.errorCount),
  }
  return { value: values[by], id: trace.traceId }
}

function toSummary(row: SummaryRow): TraceSummary {
  const startTime = fromNanosText(row.start)
  return {
    traceId: row.traceId as TraceId,
    name: row.name,
    isProvisional: !row.hasRoot,
    services: [row.rootService, ...row.services.filter((name) => name !== row.rootService)],
    startTime,
    duration: nanoseconds(fromNanosText(row.end) - startTime),
    spanCount: row.spanCount,
    errorCount: row.errorCount,
    sources: row.sources as readonly SpanSource[],
  }
}
