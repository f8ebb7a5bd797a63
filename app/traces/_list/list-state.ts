import { traceCursor } from "#otel/inspector/queries/list/list-cursor.ts"
import { momentOrAge } from "#otel/inspector/queries/list/time-range.ts"
import { parseTraceOrder, type TraceOrder } from "#otel/inspector/queries/list/trace-reader.ts"
import { newestFirst, traceSummaryFromJson, type TraceSummaryJson } from "#otel/inspector/queries/list/trace-summary.ts"
import { mergeDeltaJson } from "#otel/inspector/queries/trace/trace-delta.ts"
import type { ListPlace } from "#app/_filter/list-address.ts"

/** A page of the list, from the server. */
export interface ListPage {
  readonly traces: readonly TraceSummaryJson[]
  /** Cursor of the next page; `undefined` on the last one. */
  readonly next: string | undefined
}

/**
 * State of the live list, changed by pure functions. Rows on screen update in place; new traces enter at the top, or wait in
 * `waiting` while the user reads. A new page from the server replaces the first part of the list; older pages stay loaded. No
 * trace is missing between two rows, except after missed events until the next page.
 */
export interface ListState {
  readonly rows: readonly TraceSummaryJson[]
  /** Cursor of the page after the last row; `undefined` when there is none. */
  readonly end: string | undefined
  /** New traces by id, not shown yet. */
  readonly waiting: ReadonlyMap<string, TraceSummaryJson>
  /** The latest page from the server, which arrived while the user was reading. */
  readonly held: ListPage | undefined
  /** Shown traces that no longer match the filter. They are removed when the user stops reading. */
  readonly leaving: ReadonlySet<string>
  /** Whether new traces were missed since the last page: `waiting` was full, or the live feed was interrupted. */
  readonly hasMissed: boolean
  /** Shown traces of the live feed that no page had yet, with the number of pages that lacked them. */
  readonly fresh: ReadonlyMap<string, number>
}

/** A batch of the live feed: deltas of traces that match the filter, and of others. */
export interface LiveDeltas {
  readonly traces: readonly TraceSummaryJson[]
  readonly others: readonly TraceSummaryJson[]
}

export interface ListRule {
  /** Newest first, so that a new trace enters at the top. In another order only the server knows its position. */
  readonly isNewestFirst: boolean
  /** What the list is ordered by. */
  readonly by: TraceOrder["by"]
  /** Bounds of the start time: at or after `since`, before `until`. Nanoseconds since the epoch. */
  readonly since: bigint | undefined
  readonly until: bigint | undefined
}

/** Most rows in the page, and most new traces that wait. */
export const ROW_LIMIT = 5_000
export const WAITING_LIMIT = 2_000

/** The store has a trace a moment after the live feed. One that this many pages lack is gone, such as after a deletion. */
const PAGES_WITHOUT = 3

export function listOf({ traces, next }: ListPage, fresh: ListState["fresh"] = new Map()): ListState {
  return {
    rows: traces,
    end: next,
    waiting: new Map(),
    held: undefined,
    leaving: new Set(),
    hasMissed: false,
    fresh,
  }
}

export function withPage(state: ListState, page: ListPage, rule: ListRule, reading: boolean): ListState {
  return reading ? { ...state, held: page } : replaced(state, page, rule)
}

/**
 * The new page with the fresh rows that it lacks, followed by older rows that were already loaded. Only a row that the page
 * would have can be gone.
 */
function replaced(state: ListState, page: ListPage, rule: ListRule): ListState {
  if (!rule.isNewestFirst) return listOf(page)
  const known = new Set(page.traces.map(({ traceId }) => traceId))
  const isAbove = aboveEnd(page.traces, page.next)
  const lacking = state.rows.filter(({ traceId }) => !known.has(traceId))
  const older = continues(state, page) ? lacking.filter((row) => !isAbove(row)) : []
  const fresh = new Map(older.flatMap(({ traceId }) => entryOf(state.fresh, traceId)))
  const late = lacking.filter((row) => {
    const pages = isAbove(row) ? state.fresh.get(row.traceId) : undefined
    if (pages === undefined || pages + 1 >= PAGES_WITHOUT) return false
    fresh.set(row.traceId, pages + 1)
    return true
  })
  const rows = late.length + older.length === 0 ? page.traces : [...page.traces, ...late, ...older].sort(newestFirst)
  return bounded(listOf({ traces: rows, next: older.length === 0 ? page.next : state.end }, fresh))
}

/**
 * Whether the older rows continue the page without a gap: more rows than the page are loaded, and the page reaches a known trace.
 * After missed events, those of the live feed prove nothing: the traces before them may be missing.
 */
function continues({ rows, waiting, hasMissed, fresh }: ListState, { traces }: ListPage): boolean {
  if (rows.length <= traces.length) return false
  const known = new Set(rows.map(({ traceId }) => traceId))
  const isProof = ({ traceId }: TraceSummaryJson) =>
    hasMissed ? known.has(traceId) && !fresh.has(traceId) : known.has(traceId) || waiting.has(traceId)
  return traces.some(isProof)
}

/** Whether a trace is before the last row, or no page follows. Any other trace is in a page that is still to be loaded. */
function aboveEnd(rows: readonly TraceSummaryJson[], end: string | undefined): (trace: TraceSummaryJson) => boolean {
  const last = rows.at(-1)
  return (trace) => end === undefined || last === undefined || newestFirst(trace, last) < 0
}

/** At the limit the oldest rows go, and the next page begins with them. */
function bounded(state: ListState): ListState {
  const rows = state.rows.slice(0, ROW_LIMIT)
  const last = rows.at(-1)
  if (rows.length === state.rows.length || last === undefined) return state
  const fresh = new Map(rows.flatMap(({ traceId }) => entryOf(state.fresh, traceId)))
  return { ...state, rows, fresh, end: traceCursor(traceSummaryFromJson(last), "time") }
}

/** The live feed was interrupted, or skipped traces. */
export function withMissed(state: ListState): ListState {
  return { ...state, hasMissed: true }
}

export function withDeltas(state: ListState, deltas: LiveDeltas, rule: ListRule, reading: boolean): ListState {
  const rows = new Map(state.rows.map((row) => [row.traceId, row]))
  const waiting = new Map(state.waiting)
  const leaving = new Set(state.leaving)
  const isAbove = rule.isNewestFirst ? aboveEnd(state.rows, state.end) : () => true
  let { hasMissed } = state
  for (const delta of deltas.traces) {
    const row = rows.get(delta.traceId)
    const newcomer = waiting.get(delta.traceId)
    leaving.delete(delta.traceId)
    if (row !== undefined) rows.set(delta.traceId, mergeDeltaJson(row, delta))
    else if (newcomer !== undefined) waiting.set(delta.traceId, mergeDeltaJson(newcomer, delta))
    else if (!isWithin(delta, rule) || !isAbove(delta)) continue
    else if (waiting.size < WAITING_LIMIT) waiting.set(delta.traceId, delta)
    else hasMissed = true
  }
  for (const delta of deltas.others) {
    const row = rows.get(delta.traceId)
    waiting.delete(delta.traceId)
    if (row === undefined) continue
    rows.set(delta.traceId, mergeDeltaJson(row, delta))
    leaving.add(delta.traceId)
  }
  const next = { ...state, rows: [...rows.values()], waiting, leaving, hasMissed }
  return reading || !rule.isNewestFirst ? next : released(next, rule)
}

/** Shows what waited. The held page comes first, because its numbers are exact. */
export function released(state: ListState, rule: ListRule): ListState {
  if (state.waiting.size === 0 && state.held === undefined && state.leaving.size === 0) return state
  const shown = state.held === undefined ? { ...state, leaving: new Set<string>() } : replaced(state, state.held, rule)
  if (!rule.isNewestFirst) return { ...shown, waiting: state.waiting }
  const rows = new Map(shown.rows.map((row) => [row.traceId, row]))
  const fresh = new Map(shown.fresh)
  const isAbove = aboveEnd(shown.rows, shown.end)
  for (const traceId of state.leaving) if (state.held === undefined) rows.delete(traceId)
  for (const [traceId, newcomer] of state.waiting) {
    if (rows.has(traceId) || !isAbove(newcomer)) continue
    rows.set(traceId, newcomer)
    fresh.set(traceId, 0)
  }
  const { hasMissed } = state
  return bounded({ ...shown, rows: [...rows.values()].sort(newestFirst), waiting: new Map(), hasMissed, fresh })
}

function entryOf(fresh: ListState["fresh"], traceId: string): [string, number][] {
  const pages = fresh.get(traceId)
  return pages === undefined ? [] : [[traceId, pages]]
}

/**
 * Appends an older page. Nothing changes if the list has another end meanwhile: there would be a gap. Rows of the page that exceed
 * the limit are left out, and the next page begins with them.
 *
 * @param after cursor that the page was read with.
 */
export function withOlder(
  state: ListState,
  { traces, next }: ListPage,
  after: string | undefined,
  { by }: ListRule,
): ListState {
  if (state.end !== after) return state
  const known = new Set(state.rows.map(({ traceId }) => traceId))
  const older = traces.filter(({ traceId }) => !known.has(traceId))
  const fitting = older.slice(0, Math.max(0, ROW_LIMIT - state.rows.length))
  const last = fitting.at(-1)
  if (fitting.length === older.length) return { ...state, rows: [...state.rows, ...older], end: next }
  if (last === undefined) return state
  return { ...state, rows: [...state.rows, ...fitting], end: traceCursor(traceSummaryFromJson(last), by) }
}

function isWithin({ startTimeUnixNano }: TraceSummaryJson, { since, until }: ListRule): boolean {
  const start = BigInt(startTimeUnixNano)
  return (since === undefined || start >= since) && (until === undefined || start < until)
}

/** Rule by which arriving traces join the list at `place`. */
export function listRule({ since, until, sort }: ListPlace, nowMs: number): ListRule {
  return {
    isNewestFirst: sort === undefined,
    by: parseTraceOrder(sort ?? "time")?.by ?? "time",
    since: since === undefined ? undefined : momentOrAge(since, nowMs),
    until: until === undefined ? undefined : momentOrAge(until, nowMs),
  }
}
