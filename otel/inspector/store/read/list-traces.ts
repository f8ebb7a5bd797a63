import type { TraceId } from "../../../protocol/records/ids.ts"
import type { SpanSource } from "../../../protocol/records/span.ts"
import { fromMilliseconds, nanoseconds, type Nanoseconds } from "../../../protocol/records/time.ts"
import type { TraceListQuery, TraceOrder } from "../../queries/list/trace-reader.ts"
import type { TraceList, TraceSummary } from "../../queries/list/trace-summary.ts"
import type { FilterTree } from "../../search/index.ts"
import type { SpanTree } from "../../search/tree.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { fromNanosText, LATEST_TIME } from "../rows/timestamp.ts"
import { fromCursor, type ListPosition, toCursor } from "./cursor.ts"
import { Bindings } from "./filter/bindings.ts"
import { listScope, type ListScope } from "./list-scope.ts"
import {
  fewSql,
  findWindowSql,
  type PageScope,
  pageSql,
  type SummaryRow,
  type Window,
  type WindowRow,
  type WindowSize,
} from "./list-statements.ts"

/**
 * The trace list, in pages that stay in place while traces arrive.
 *
 * Newest first, the end of `pagespan_starts` holds what comes first. A page takes as many rows from it as should do,
 * which makes a window of time; sums up the traces that have a row in the window; and keeps those that began in it. A
 * trace with rows in several inserts is so listed where it began, and only there. Where the window held too few, the
 * next one below it is larger, by as much as what it brought tells. No statement reads more than its window's traces.
 * Where a filter asks for a span that hardly any trace has, these traces are found by it, once a window held next to none.
 *
 * In another order every trace of the scope has to be looked at, which one statement does.
 */

/** Traces in a page at most. */
const PAGE_LIMIT = 1_000
/** Rows of `pagespan_starts` for each trace wanted, in the first window: a trace has one for each service and insert. */
const ROWS_A_TRACE = 8
const ROWS_A_TRACE_OF_SERVICE = 1.5
/**
 * The same where a filter is asked, of which nobody knows how many traces pass it. Most that are asked pass one in ten or
 * more, and take one small window; what passes hardly any takes one more than it needs.
 */
const ROWS_FILTERED = 2_500
const ROWS_FILTERED_OF_SERVICE = 500
/** Traces that seem to begin in a window, for each one wanted: some of them began below it. */
const TRACES_A_TRACE = 1.3
const ALL_TRACES = 2 ** 32 - 1
/**
 * Where the first rows are looked for: one day, of which a partition has the rows. Without a bound the engine reads a piece of
 * each part of each day before it knows which has the newest: 20 to 47 ms at 10 million spans instead of 15 to 27.
 */
const STRETCH = 86_400_000_000_000n
/** How much larger the next window is, at least and at most. */
const LEAST_GROWTH = 2
const MOST_GROWTH = 16
/** A window that brings less than this part of a page lets a filter be asked whether hardly any trace can pass it. */
const FEW_OF_PAGE = 8
/** Ids of so many traces travel with a statement. */
const FEW_TRACES = 2_000
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
  for (let isFirst = true; ; isFirst = false) {
    const wanted = page.limit - found.length
    // Where more traces began at one moment than a window should hold, only rows lead beyond it.
    const traces = isFirst ? tracesOf(page, wanted) : ALL_TRACES
    const window = await findWindow(clickhouse, page, upTo, { rows: size, traces })
    const some = await readWindow(clickhouse, { ...page, limit: wanted }, window)
    found.push(...some)
    if (some.length >= wanted || window.last) return found
    const among = isFirst && found.length < page.limit / FEW_OF_PAGE ? await findFew(clickhouse, page) : undefined
    if (among !== undefined)
      return [...found, ...(await readAmong(clickhouse, page, among, window.above, found.length))]
    size = nextSize(size, wanted, some.length)
    upTo = window.above
  }
}

function readWindow(clickhouse: ClickHouse, page: Page, window: Window): Promise<TraceSummary[]> {
  const isNewest = window.upTo === LATEST_TIME
  // A service may join a trace of an older window later.
  const among = page.service === undefined || isNewest ? window.traceIds : undefined
  return readPage(clickhouse, { ...page, among }, { ...window, isNewest })
}

/** As many rows as should bring what is wanted yet, by what these brought. */
function nextSize(size: number, wanted: number, brought: number): number {
  const factor = brought === 0 ? MOST_GROWTH : (1.5 * (wanted - brought)) / brought
  return Math.ceil(size * Math.min(Math.max(factor, LEAST_GROWTH), MOST_GROWTH))
}

/** Traces with a span that the filter asks of all; `undefined` where they are many, or it asks for none. */
async function findFew(clickhouse: ClickHouse, page: Page): Promise<readonly string[] | undefined> {
  const where = askedSpan(page.filter)
  if (where === undefined) return undefined
  const bindings = new Bindings()
  const sql = fewSql(page, where, FEW_TRACES + 1, bindings)
  const rows = await clickhouse.select<{ traceId: string }>(sql, bindings.values)
  return rows.length > FEW_TRACES ? undefined : rows.map(({ traceId }) => traceId)
}

/** A span that every trace must have, and that an index leads to: one with a certain value. */
function askedSpan(filter: FilterTree | undefined): SpanTree | undefined {
  if (filter?.is === "and") return filter.nodes.map(askedSpan).find((where) => where !== undefined)
  return filter?.is === "some span" && isIndexed(filter.where) ? filter.where : undefined
}

function isIndexed(where: SpanTree): boolean {
  if (where.is === "and") return where.nodes.some(isIndexed)
  if (where.is !== "attribute" || where.bags.includes("event")) return false
  return where.value.is === "equal" && where.value.text !== ""
}

async function readAmong(
  clickhouse: ClickHouse,
  page: Page,
  among: readonly string[],
  upTo: bigint,
  found: number,
): Promise<TraceSummary[]> {
  const below = { above: page.since - 1n, upTo, last: true, isNewest: false }
  return readPage(clickhouse, { ...page, limit: page.limit - found, among }, below)
}

function firstSize({ limit, service, filter }: Page): number {
  const size = Math.ceil(limit * (service === undefined ? ROWS_A_TRACE : ROWS_A_TRACE_OF_SERVICE))
  return filter === undefined ? size : Math.max(size, service === undefined ? ROWS_FILTERED : ROWS_FILTERED_OF_SERVICE)
}

/** Where the first window ends. */
function newest({ after, until }: Page): bigint {
  const end = until === undefined ? LATEST_TIME : until - 1n
  return after !== undefined && after.value < end ? after.value : end
}

/** Traces that a window should hold for so many to be listed: of those that seem to begin in it some began below it. */
function tracesOf({ filter }: Page, wanted: number): number {
  // How many pass a filter is not known.
  return filter === undefined ? Math.ceil(wanted * TRACES_A_TRACE) : ALL_TRACES
}

/** Whatever else is stored, a window that a day can fill is found by reading a day. */
async function findWindow(clickhouse: ClickHouse, scope: ListScope, upTo: bigint, size: WindowSize): Promise<Window> {
  const now = fromMilliseconds(Date.now())
  const since = nanoseconds((upTo < now ? upTo : now) - STRETCH)
  if (since <= scope.since) return askWindow(clickhouse, scope, upTo, size)
  const window = await askWindow(clickhouse, { ...scope, since }, upTo, size)
  return window.last ? askWindow(clickhouse, scope, upTo, size) : window
}

async function askWindow(clickhouse: ClickHouse, scope: ListScope, upTo: bigint, size: WindowSize): Promise<Window> {
  const bindings = new Bindings()
  const sql = findWindowSql(scope, upTo, size, bindings)
  const [row] = await clickhouse.select<WindowRow>(sql, bindings.values)
  const last = row === undefined || Boolean(row.isLast)
  const traceIds = row?.areMany ? undefined : row?.traceIds
  return { above: last ? scope.since - 1n : fromNanosText(row.lowest), upTo, last, traceIds }
}

async function readPage(clickhouse: ClickHouse, page: Page, window: PageScope["window"]): Promise<TraceSummary[]> {
  if (page.among?.length === 0) return []
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
