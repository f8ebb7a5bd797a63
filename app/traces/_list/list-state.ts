import { momentOrAge } from "#otel/inspector/queries/list/time-range.ts"
import { newestFirst, type TraceSummaryJson } from "#otel/inspector/queries/list/trace-summary.ts"
import { mergeDeltaJson } from "#otel/inspector/queries/trace/trace-delta.ts"
import type { ListPlace } from "#app/_filter/list-address.ts"

/**
 * State of the live list, changed by pure functions. Rows on screen update in place; new traces enter at the top, or wait in
 * `waiting` while the user reads. A new page from the server replaces the first part of the list; older pages stay loaded.
 */
export interface ListState {
  readonly rows: readonly TraceSummaryJson[]
  /** New traces by id, not shown yet. */
  readonly waiting: ReadonlyMap<string, TraceSummaryJson>
  /** The latest page from the server, which arrived while the user was reading. */
  readonly held: readonly TraceSummaryJson[] | undefined
  /** Shown traces that no longer match the filter. They are removed when the user stops reading. */
  readonly leaving: ReadonlySet<string>
  /** New traces dropped from `waiting` because it was full. */
  readonly skipped: number
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
  /** Bounds of the start time: at or after `since`, before `until`. Nanoseconds since the epoch. */
  readonly since: bigint | undefined
  readonly until: bigint | undefined
}

/** Most rows in the page, and most new traces that wait. */
export const ROW_LIMIT = 5_000
export const WAITING_LIMIT = 2_000

/** The store has a trace a moment after the live feed. One that this many pages lack is gone, such as after a deletion. */
const PAGES_WITHOUT = 3

export function listOf(rows: readonly TraceSummaryJson[], fresh: ListState["fresh"] = new Map()): ListState {
  return { rows, waiting: new Map(), held: undefined, leaving: new Set(), skipped: 0, fresh }
}

export function withPage(
  state: ListState,
  rows: readonly TraceSummaryJson[],
  rule: ListRule,
  reading: boolean,
): ListState {
  return reading ? { ...state, held: rows } : replaced(state, rows, rule)
}

/** The new page with the fresh rows that it lacks, followed by older rows that were already loaded. */
function replaced(state: ListState, rows: readonly TraceSummaryJson[], rule: ListRule): ListState {
  if (!rule.isNewestFirst) return listOf(rows)
  const known = new Set(rows.map(({ traceId }) => traceId))
  const fresh = new Map<string, number>()
  for (const [traceId, pages] of state.fresh)
    if (!known.has(traceId) && pages + 1 < PAGES_WITHOUT) fresh.set(traceId, pages + 1)
  const last = rows.at(-1)
  const hasOlder = last !== undefined && state.rows.length > rows.length
  const kept = state.rows.filter((row) =>
    state.fresh.has(row.traceId) ? fresh.has(row.traceId) : hasOlder && newestFirst(last, row) < 0,
  )
  return listOf(kept.length === 0 ? rows : [...rows, ...kept].sort(newestFirst), fresh)
}

export function withDeltas(state: ListState, deltas: LiveDeltas, rule: ListRule, reading: boolean): ListState {
  const rows = new Map(state.rows.map((row) => [row.traceId, row]))
  const waiting = new Map(state.waiting)
  const leaving = new Set(state.leaving)
  let { skipped } = state
  for (const delta of deltas.traces) {
    const row = rows.get(delta.traceId)
    const newcomer = waiting.get(delta.traceId)
    leaving.delete(delta.traceId)
    if (row !== undefined) rows.set(delta.traceId, mergeDeltaJson(row, delta))
    else if (newcomer !== undefined) waiting.set(delta.traceId, mergeDeltaJson(newcomer, delta))
    else if (!isWithin(delta, rule)) continue
    else if (waiting.size < WAITING_LIMIT) waiting.set(delta.traceId, delta)
    else skipped += 1
  }
  for (const delta of deltas.others) {
    const row = rows.get(delta.traceId)
    waiting.delete(delta.traceId)
    if (row === undefined) continue
    rows.set(delta.traceId, mergeDeltaJson(row, delta))
    leaving.add(delta.traceId)
  }
  const next = { ...state, rows: [...rows.values()], waiting, leaving, skipped }
  return reading || !rule.isNewestFirst ? next : released(next, rule)
}

/** Shows what waited. The held page comes first, because its numbers are exact. */
export function released(state: ListState, rule: ListRule): ListState {
  if (state.waiting.size === 0 && state.held === undefined && state.leaving.size === 0) return state
  const shown = state.held === undefined ? state : replaced(state, state.held, rule)
  if (!rule.isNewestFirst) return { ...listOf(shown.rows), waiting: state.waiting }
  const rows = new Map(shown.rows.map((row) => [row.traceId, row]))
  const fresh = new Map(shown.fresh)
  for (const traceId of state.leaving) if (state.held === undefined) rows.delete(traceId)
  for (const [traceId, newcomer] of state.waiting) {
    if (rows.has(traceId)) continue
    rows.set(traceId, newcomer)
    fresh.set(traceId, 0)
  }
  const sorted = [...rows.values()].sort(newestFirst).slice(0, ROW_LIMIT)
  return listOf(sorted, new Map(sorted.flatMap(({ traceId }) => entryOf(fresh, traceId))))
}

function entryOf(fresh: ListState["fresh"], traceId: string): [string, number][] {
  const pages = fresh.get(traceId)
  return pages === undefined ? [] : [[traceId, pages]]
}

/** Appends an older page. */
export function withOlder(state: ListState, older: readonly TraceSummaryJson[]): ListState {
  const known = new Set(state.rows.map(({ traceId }) => traceId))
  const rows = [...state.rows, ...older.filter(({ traceId }) => !known.has(traceId))]
  return { ...state, rows: rows.slice(0, ROW_LIMIT) }
}

function isWithin({ startTimeUnixNano }: TraceSummaryJson, { since, until }: ListRule): boolean {
  const start = BigInt(startTimeUnixNano)
  return (since === undefined || start >= since) && (until === undefined || start < until)
}

/** Rule by which arriving traces join the list at `place`. */
export function listRule({ since, until, sort }: ListPlace, nowMs: number): ListRule {
  return {
    isNewestFirst: sort === undefined,
    since: since === undefined ? undefined : momentOrAge(since, nowMs),
    until: until === undefined ? undefined : momentOrAge(until, nowMs),
  }
}
