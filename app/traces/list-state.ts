import type { TraceSummaryJson } from "#otel/wire/trace-summary-json.ts"

/**
 * What the live list shows, as pure steps. Rows on screen change in place; new traces enter at the top, or wait in
 * `waiting` while somebody reads. The server's own reading of the page replaces all of it whenever it comes.
 */
export interface ListState {
  readonly rows: readonly TraceSummaryJson[]
  /** New traces by id, kept off the screen. */
  readonly waiting: ReadonlyMap<string, TraceSummaryJson>
  /** The server's latest reading, which came while somebody was reading. */
  readonly held: readonly TraceSummaryJson[] | undefined
}

export interface ListFilter {
  readonly service: string | undefined
}

/** Rows on screen between two readings of the page, and traces that wait to be shown. */
const ROW_LIMIT = 300
export const WAITING_LIMIT = 1_000

export function listOf(rows: readonly TraceSummaryJson[]): ListState {
  return { rows, waiting: new Map(), held: undefined }
}

export function withReading(state: ListState, rows: readonly TraceSummaryJson[], reading: boolean): ListState {
  return reading ? { ...state, held: rows } : listOf(rows)
}

export function withDeltas(
  state: ListState,
  deltas: readonly TraceSummaryJson[],
  filter: ListFilter,
  reading: boolean,
): ListState {
  const shown = new Map(state.rows.map((row) => [row.traceId, row]))
  const waiting = new Map(state.waiting)
  for (const delta of deltas) {
    const row = shown.get(delta.traceId)
    const newcomer = waiting.get(delta.traceId)
    if (row !== undefined) shown.set(delta.traceId, mergeTrace(row, delta))
    else if (newcomer !== undefined) waiting.set(delta.traceId, mergeTrace(newcomer, delta))
    else if (passes(delta, filter) && waiting.size < WAITING_LIMIT) waiting.set(delta.traceId, delta)
  }
  const next = { ...state, rows: [...shown.values()], waiting }
  return reading ? next : released(next)
}

/** Shows what waited: the held reading first, since its numbers are true. */
export function released(state: ListState): ListState {
  if (state.waiting.size === 0 && state.held === undefined) return state
  const rows = new Map((state.held ?? state.rows).map((row) => [row.traceId, row]))
  for (const [traceId, newcomer] of state.waiting) if (!rows.has(traceId)) rows.set(traceId, newcomer)
  return listOf([...rows.values()].sort(newestFirst).slice(0, ROW_LIMIT))
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

function passes(delta: TraceSummaryJson, { service }: ListFilter): boolean {
  return service === undefined || delta.services.includes(service)
}

function newestFirst(a: TraceSummaryJson, b: TraceSummaryJson): number {
  const [startA, startB] = [BigInt(a.startTimeUnixNano), BigInt(b.startTimeUnixNano)]
  if (startA !== startB) return startA > startB ? -1 : 1
  return a.traceId < b.traceId ? -1 : 1
}

function later(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

function union(a: readonly string[], b: readonly string[]): string[] {
  return [...new Set([...a, ...b])]
}
