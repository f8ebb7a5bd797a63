import type { TraceSummaryJson } from "#otel/inspector/queries/list/trace-summary.ts"
import type { ListPlace } from "./list-address.ts"
import { momentOrAge } from "#otel/inspector/queries/list/time-range.ts"

/**
 * What the live list shows, as pure steps. Rows on screen change in place; new traces enter at the top, or wait in
 * `waiting` while somebody reads. The server's own reading of the page replaces its part of the list whenever it comes;
 * older pages that were loaded behind it stay.
 */
export interface ListState {
  readonly rows: readonly TraceSummaryJson[]
  /** New traces by id, kept off the screen. */
  readonly waiting: ReadonlyMap<string, TraceSummaryJson>
  /** The server's latest reading, which came while somebody was reading. */
  readonly held: readonly TraceSummaryJson[] | undefined
  /** Traces that were shown and no longer pass the filter: they go when nobody reads. */
  readonly leaving: ReadonlySet<string>
  /** New traces that were not kept because there were too many. */
  readonly skipped: number
}

/** What the feed brought: traces that pass the filter, and what happened to others. */
export interface LiveDeltas {
  readonly traces: readonly TraceSummaryJson[]
  readonly others: readonly TraceSummaryJson[]
}

export interface ListRule {
  /** The latest come first, so that a new trace has its place at the top; in another order only a reading knows it. */
  readonly isNewestFirst: boolean
  /** Nothing that began before or at these belongs into the window. Nanoseconds. */
  readonly since: bigint | undefined
  readonly until: bigint | undefined
}

/** Rows that are kept in the page, and new ones that wait. */
export const ROW_LIMIT = 5_000
export const WAITING_LIMIT = 2_000

export function listOf(rows: readonly TraceSummaryJson[]): ListState {
  return { rows, waiting: new Map(), held: undefined, leaving: new Set(), skipped: 0 }
}

export function withReading(
  state: ListState,
  rows: readonly TraceSummaryJson[],
  rule: ListRule,
  reading: boolean,
): ListState {
  return reading ? { ...state, held: rows } : listOf(replaced(state.rows, rows, rule))
}

/** The reading, and behind it what had been loaded of older pages. */
function replaced(before: readonly TraceSummaryJson[], rows: readonly TraceSummaryJson[], rule: ListRule) {
  const last = rows.at(-1)
  if (!rule.isNewestFirst || last === undefined || before.length <= rows.length) return rows
  return [...rows, ...before.filter((row) => newestFirst(last, row) < 0)]
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
    if (row !== undefined) rows.set(delta.traceId, mergeTrace(row, delta))
    else if (newcomer !== undefined) waiting.set(delta.traceId, mergeTrace(newcomer, delta))
    else if (!isWithin(delta, rule)) continue
    else if (waiting.size < WAITING_LIMIT) waiting.set(delta.traceId, delta)
    else skipped += 1
  }
  for (const delta of deltas.others) {
    const row = rows.get(delta.traceId)
    waiting.delete(delta.traceId)
    if (row === undefined) continue
    rows.set(delta.traceId, mergeTrace(row, delta))
    leaving.add(delta.traceId)
  }
  const next = { ...state, rows: [...rows.values()], waiting, leaving, skipped }
  return reading || !rule.isNewestFirst ? next : released(next, rule)
}

/** Shows what waited: the held reading first, since its numbers are true. */
export function released(state: ListState, rule: ListRule): ListState {
  if (state.waiting.size === 0 && state.held === undefined && state.leaving.size === 0) return state
  const shown = state.held === undefined ? state.rows : replaced(state.rows, state.held, rule)
  if (!rule.isNewestFirst) return { ...listOf(shown), waiting: state.waiting }
  const rows = new Map(shown.map((row) => [row.traceId, row]))
  for (const traceId of state.leaving) if (state.held === undefined) rows.delete(traceId)
  for (const [traceId, newcomer] of state.waiting) if (!rows.has(traceId)) rows.set(traceId, newcomer)
  return listOf([...rows.values()].sort(newestFirst).slice(0, ROW_LIMIT))
}

/** A page that was loaded behind the last row. */
export function withOlder(state: ListState, older: readonly TraceSummaryJson[]): ListState {
  const known = new Set(state.rows.map(({ traceId }) => traceId))
  const rows = [...state.rows, ...older.filter(({ traceId }) => !known.has(traceId))]
  return { ...state, rows: rows.slice(0, ROW_LIMIT) }
}

function isWithin({ startTimeUnixNano }: TraceSummaryJson, { since, until }: ListRule): boolean {
  const start = BigInt(startTimeUnixNano)
  return (since === undefined || start >= since) && (until === undefined || start < until)
}

/** What the place in the list means for traces that arrive. */
export function listRule({ since, until, sort }: ListPlace, nowMs: number): ListRule {
  return {
    isNewestFirst: sort === undefined,
    since: since === undefined ? undefined : momentOrAge(since, nowMs),
    until: until === undefined ? undefined : momentOrAge(until, nowMs),
  }
}

/** What two batches of one trace make together. A root names it; as long as none has come, the earlier batch does. */
export function mergeTrace(a: TraceSummaryJson, b: TraceSummaryJson): TraceSummaryJson {
  const [startA, startB] = [BigInt(a.startTimeUnixNano), BigInt(b.startTimeUnixNano)]
  const isNamedByB = a.provisional === b.provisional ? startB < startA : a.provisional
  const [first, second] = isNamedByB ? [b, a] : [a, b]
  const start = startA < startB ? startA : startB
  const end = later(startA + BigInt(a.durationNano), startB + BigInt(b.durationNano))
  return {
    ...first,
    services: union(first.services, second.services),
    startTimeUnixNano: String(start),
    durationNano: String(end - start),
    spanCount: a.spanCount + b.spanCount,
    errorCount: a.errorCount + b.errorCount,
    sources: union(first.sources, second.sources),
  }
}

/** The order of the list: by start, then by id, both from the largest on. */
export function newestFirst(a: TraceSummaryJson, b: TraceSummaryJson): number {
  // Nanoseconds of our time have the same number of digits: compared as text they are not read as numbers each time.
  const [startA, startB] = [a.startTimeUnixNano, b.startTimeUnixNano]
  if (startA.length !== startB.length) return startB.length - startA.length
  if (startA !== startB) return startA > startB ? -1 : 1
  return a.traceId > b.traceId ? -1 : 1
}

function later(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

function union(a: readonly string[], b: readonly string[]): string[] {
  return [...new Set([...a, ...b])]
}
