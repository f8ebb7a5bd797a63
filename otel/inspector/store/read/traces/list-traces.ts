import type { TraceId } from "../../../../protocol/records/ids.ts"
import type { SpanSource } from "../../../../protocol/records/span.ts"
import { fromMilliseconds, nanoseconds } from "../../../../protocol/records/time.ts"
import { fromCursor, traceCursor } from "../../../queries/list/list-cursor.ts"
import type { TraceListQuery, TraceOrder } from "../../../queries/list/trace-reader.ts"
import type { TraceList, TraceSummary } from "../../../queries/list/trace-summary.ts"
import type { FilterTree } from "../../../search/index.ts"
import type { SpanTree } from "../../../search/tree.ts"
import { fromNanosText, LATEST_TIME } from "../../rows/stored-values.ts"
import { type ReadContext, SqlBuilder } from "../context.ts"
import { countTraceErrors } from "../errors/trace-events.ts"
import { listScope, type ListScope, requiredSpans, requiresOnlySpans, withoutSpans } from "./list-scope.ts"
import {
  fewSql,
  findLowestSql,
  findWindowSql,
  type PageScope,
  pageSql,
  type PageWindow,
  type SummaryRow,
  type Window,
  type WindowRow,
  type WindowSize,
} from "./list-statements.ts"

/**
 * The trace list, in pages that stay stable while traces arrive.
 *
 * For newest first, the newest traces are at the end of `pagespan_starts`. The first statement reads as many of its rows
 * as a page should need, which gives a window of time. The second sums up the traces that have a row in the window, and
 * returns those that began in it: a trace with rows from several inserts is listed only where it began. If the window
 * held too few, the next one, further back, is larger by a factor that depends on what this one returned. If the first two
 * windows held next to none, and the filter requires a span that an index leads to, a statement looks for these spans; if
 * they are few, the rest of the page comes from them.
 *
 * Where the filter requires a span, such as one with an attribute, the second statement looks up these spans since the start of
 * the window, and sums up their traces alone: they are often few, and the collector's table is in the order of time.
 *
 * Any other order needs every trace of the scope, which one statement reads.
 */

/** Traces of a page at most. */
const PAGE_LIMIT = 1_000
/** Rows of `pagespan_starts` that the first window reads per trace: a trace has one for each service and insert. */
const ROWS_PER_TRACE = 8
const ROWS_PER_TRACE_OF_SERVICE = 1.5
/**
 * Rows that the first window reads with a filter, whose selectivity is unknown. Most filters match one trace in ten or
 * more and need one small window; one that matches hardly any costs one window more than it needs.
 */
const ROWS_FILTERED = 2_500
const ROWS_FILTERED_OF_SERVICE = 500
/** Traces that appear to begin in a window, per trace wanted: some of them began before it. */
const TRACES_PER_TRACE = 1.3
/** Every trace, or every row: the largest number of a statement. */
const ALL = 2 ** 32 - 1
/**
 * The first search for rows covers one day, whose rows are in one or two partitions, or as much as the rows should take,
 * going by the window before. Without a bound ClickHouse reads a piece of each part of each day before it knows which one
 * has the newest: 20 to 47 ms at 10 million spans instead of 7 to 27.
 */
const FIRST_SEARCH = 86_400_000_000_000n
/** How much larger the next window is, at least and at most. */
const LEAST_GROWTH = 2
const MOST_GROWTH = 64
/** The same if the window returned nothing to go by. */
const GROWTH_OF_NONE = 16
/**
 * If this many windows return less than that part of a page, we test whether hardly any trace can match the filter. The
 * test reads an index of the whole scope; the second window is small, and enough if one trace in a thousand matches.
 */
const WINDOWS_BEFORE_FEW = 2
const FEW_OF_PAGE = 8
/** Trace ids that a statement carries at most. */
const FEW_TRACES = 2_000
const NEWEST_FIRST: TraceOrder = { by: "time", isAscending: false }

type Page = Omit<PageScope, "window">

export async function listTraces(context: ReadContext, query: TraceListQuery): Promise<TraceList> {
  const limit = Math.min(Math.max(1, Math.trunc(query.limit)), PAGE_LIMIT)
  const order = query.order ?? NEWEST_FIRST
  const after = query.after === undefined ? undefined : fromCursor(`traces-${order.by}`, query.after)
  // One more than the page: it shows whether there is a next page.
  const page: Page = { ...listScope(query, context.oldest), order, after, limit: limit + 1 }
  const isNewestFirst = order.by === "time" && !order.isAscending
  const found = isNewestFirst ? await readWindows(context, page) : await readPage(context, page, undefined)
  const traces = await withReportedErrors(context, found.slice(0, limit))
  const end = found.length > limit ? traces.at(-1) : undefined
  return { traces, next: end && traceCursor(end, order.by) }
}

async function withReportedErrors(context: ReadContext, traces: readonly TraceSummary[]): Promise<TraceSummary[]> {
  const counts = await countTraceErrors(context, traces)
  return traces.map((trace) => {
    const reportedErrorCount = counts.get(trace.traceId)
    return reportedErrorCount === undefined ? trace : { ...trace, reportedErrorCount }
  })
}

/** The first traces after the cursor, or fewer if there are no more. */
async function readWindows(context: ReadContext, page: Page): Promise<TraceSummary[]> {
  const found: TraceSummary[] = []
  const first = newest(page)
  // A trace may get spans after the range's end, so that for a range in the past each window would look through all since.
  const few = page.until === undefined ? undefined : await findFew(context, page)
  if (few !== undefined) return readAmong(context, page, few, first, 0)
  let size = firstSize(page)
  let [upTo, search] = [first, FIRST_SEARCH]
  for (let number = 1; ; number += 1) {
    const wanted = page.limit - found.length
    // If more traces began at one moment than a window should hold, only rows lead past that moment.
    const traces = number === 1 ? tracesOf(page, wanted) : ALL
    const window = await findWindow(context, page, { upTo, search }, { rows: size, traces })
    const seen = { isNext: first === LATEST_TIME, areFew: number > 1 && requiresOnlySpans(page.filter) }
    const some = await readWindow(context, { ...page, limit: wanted }, { ...window, ...seen })
    found.push(...some)
    if (some.length >= wanted || window.last) return found
    const areFew = number === WINDOWS_BEFORE_FEW && found.length < page.limit / FEW_OF_PAGE
    const rest = areFew ? await findFew(context, page) : undefined
    if (rest !== undefined) return [...found, ...(await readAmong(context, page, rest, window.above, found.length))]
    const growth = growthOf(wanted, some.length)
    if (number > 1) search = largest(FIRST_SEARCH, (upTo - window.above) * BigInt(2 * growth))
    size = Math.min(size * growth, ALL)
    upTo = window.above
  }
}

function readWindow(
  context: ReadContext,
  page: Page,
  window: Omit<PageWindow, "isNewest" | "isInTimeOrder">,
): Promise<TraceSummary[]> {
  const isNewest = window.upTo === LATEST_TIME
  // A service may join a trace of an older window later.
  const among = page.service === undefined || isNewest ? window.traceIds : undefined
  const isInTimeOrder = context.clickhouse.endpoint.embedded
  return readPage(context, { ...page, among }, { ...window, isNewest, isInTimeOrder })
}

/** How many times as many rows should return the rest of the page, going by what this window returned. */
function growthOf(wanted: number, returned: number): number {
  if (returned === 0) return GROWTH_OF_NONE
  return Math.ceil(Math.min(Math.max((1.5 * (wanted - returned)) / returned, LEAST_GROWTH), MOST_GROWTH))
}

/** Traces that are known to have a span that the filter requires. */
interface Few {
  readonly among: readonly string[]
  /** The rest of the filter. */
  readonly filter: FilterTree | undefined
}

/** Looks up a span that the filter requires and an index finds; `undefined` if many traces have it, or there is none. */
async function findFew(context: ReadContext, page: Page): Promise<Few | undefined> {
  const where = requiredSpans(page.filter).find(isIndexed)
  if (where === undefined) return undefined
  const sql = new SqlBuilder(context)
  const statement = fewSql(page, where, FEW_TRACES + 1, sql)
  const rows = await context.clickhouse.select<{ traceId: string }>(statement, sql.parameters)
  if (rows.length > FEW_TRACES) return undefined
  return { among: rows.map(({ traceId }) => traceId), filter: withoutSpans(page.filter, [where]) }
}

/** Whether an index finds such a span: one with a certain attribute value. */
function isIndexed(where: SpanTree): boolean {
  if (where.is === "and") return where.nodes.some(isIndexed)
  if (where.is !== "attribute" || where.bags.includes("event")) return false
  return where.value.is === "equal" && where.value.text !== ""
}

async function readAmong(
  context: ReadContext,
  page: Page,
  few: Few,
  upTo: bigint,
  found: number,
): Promise<TraceSummary[]> {
  const rest = {
    above: page.since - 1n,
    upTo,
    last: true,
    isNewest: false,
    isInTimeOrder: false,
    isNext: false,
    areFew: true,
  }
  return readPage(context, { ...page, ...few, limit: page.limit - found }, rest)
}

function firstSize({ limit, service, filter }: Page): number {
  const isOfOne = service?.is === "equal"
  const size = Math.ceil(limit * (isOfOne ? ROWS_PER_TRACE_OF_SERVICE : ROWS_PER_TRACE))
  return filter === undefined ? size : Math.max(size, isOfOne ? ROWS_FILTERED_OF_SERVICE : ROWS_FILTERED)
}

function largest(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}

/** The upper end of the first window. */
function newest({ after, until }: Page): bigint {
  const end = until === undefined ? LATEST_TIME : until - 1n
  return after !== undefined && after.value < end ? after.value : end
}

/** Traces that a window should hold for the page to get as many as it wants. With a filter that is unknown. */
function tracesOf({ filter }: Page, wanted: number): number {
  return filter === undefined ? Math.ceil(wanted * TRACES_PER_TRACE) : ALL
}

/** Searches a part of the scope first, and all of it only if that part does not fill the window. */
async function findWindow(
  context: ReadContext,
  scope: ListScope,
  { upTo, search }: { readonly upTo: bigint; readonly search: bigint },
  size: WindowSize,
): Promise<Window> {
  const now = fromMilliseconds(Date.now())
  const since = nanoseconds((upTo < now ? upTo : now) - search)
  if (since <= scope.since) return searchWindow(context, scope, upTo, size)
  const window = await searchWindow(context, { ...scope, since }, upTo, size)
  return window.last ? searchWindow(context, scope, upTo, size) : window
}

async function searchWindow(context: ReadContext, scope: ListScope, upTo: bigint, size: WindowSize): Promise<Window> {
  const sql = new SqlBuilder(context)
  const isLarge = size.traces === ALL && size.rows > ROWS_FILTERED
  const statement = isLarge ? findLowestSql(scope, upTo, size.rows, sql) : findWindowSql(scope, upTo, size, sql)
  const [row] = await context.clickhouse.select<WindowRow>(statement, sql.parameters)
  const last = row === undefined || Boolean(row.isLast)
  const traceIds = row?.areMany ? undefined : row?.traceIds
  return { above: last ? scope.since - 1n : fromNanosText(row.lowest), upTo, last, traceIds }
}

async function readPage(context: ReadContext, page: Page, window: PageScope["window"]): Promise<TraceSummary[]> {
  if (page.among?.length === 0) return []
  const sql = new SqlBuilder(context)
  const statement = pageSql({ ...page, window }, sql)
  const rows = await context.clickhouse.select<SummaryRow>(statement, sql.parameters)
  return rows.map(toSummary)
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
