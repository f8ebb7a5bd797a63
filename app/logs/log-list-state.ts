import type { LogJson } from "#otel/inspector/queries/logs/log-json.ts"

/**
 * State of the live list of logs, newest first, changed by pure functions. New logs wait while the user reads. Of a longer list
 * the rows are a part around what the user reads, without a gap: older and newer logs are loaded as the user scrolls to them.
 */
export interface LogListState {
  readonly rows: readonly LogJson[]
  /** New logs, not shown yet. */
  readonly waiting: readonly LogJson[]
  /** Whether more logs arrived than one page holds: older ones among them are missing from `rows` and `waiting`. */
  readonly hasGap: boolean
  /** Whether there are logs older than the last row. */
  readonly hasOlder: boolean
  /** Whether newer logs than the first row were removed. Until they are loaded again, nothing arrives live. */
  readonly hasNewer: boolean
  /** Whether the last change came from scrolling, so that the rows in view stay where they are. */
  readonly isSteady: boolean
}

/** Most rows in the page, and most new logs that wait. */
export const LOG_ROW_LIMIT = 5_000

export function logListOf(rows: readonly LogJson[], hasOlder: boolean): LogListState {
  return { rows, waiting: [], hasGap: false, hasOlder, hasNewer: false, isSteady: false }
}

/**
 * The newest page from the server. Logs that it has and the list has not are new, also where their time is older than that
 * of the newest row, unless they are among the older ones that are still to be loaded. Without a row in common, the page replaces
 * the list.
 */
export function withNewest(
  state: LogListState,
  page: readonly LogJson[],
  isFull: boolean,
  reading: boolean,
): LogListState {
  if (state.hasNewer) return state
  const known = new Set([...state.rows, ...state.waiting].map(({ logId }) => logId))
  const unknown = page.filter(({ logId }) => !known.has(logId))
  const isApart = isFull && known.size > 0 && unknown.length === page.length
  const last = state.hasOlder && !isApart ? state.rows.at(-1) : undefined
  const news = last === undefined ? unknown : unknown.filter((log) => newestFirst(log, last) < 0)
  if (news.length === 0) return state
  const hasGap = state.hasGap || isApart
  const waiting = merged(news, state.waiting).slice(0, LOG_ROW_LIMIT)
  const next = { ...state, waiting, hasGap }
  return reading ? next : shown(next)
}

/** Shows what waited. */
export function shown(state: LogListState): LogListState {
  const { rows, waiting, hasGap, hasOlder } = state
  if (waiting.length === 0) return state
  if (hasGap) return logListOf(waiting, true)
  const all = merged(waiting, rows)
  return logListOf(all.slice(0, LOG_ROW_LIMIT), hasOlder || all.length > LOG_ROW_LIMIT)
}

/** Logs that were read next to a row, the last or the first one then. */
export interface NextLogs {
  readonly logs: readonly LogJson[]
  readonly nextTo: LogJson | undefined
  /** Whether there are more behind them. */
  readonly hasMore: boolean
}

/**
 * Appends older logs. At the limit the newest rows go, and with them those that wait. Nothing changes if the last row is
 * another one meanwhile: there would be a gap.
 */
export function withOlderLogs(state: LogListState, { logs, nextTo, hasMore }: NextLogs): LogListState {
  if (state.rows.at(-1)?.logId !== nextTo?.logId) return state
  const all = merged(state.rows, logs)
  const next = { ...state, rows: all.slice(-LOG_ROW_LIMIT), hasOlder: hasMore, isSteady: true }
  return all.length > LOG_ROW_LIMIT ? { ...next, waiting: [], hasGap: false, hasNewer: true } : next
}

/** Adds newer logs in front, as `withOlderLogs` does behind. At the limit the oldest rows go. */
export function withNewerLogs(state: LogListState, { logs, nextTo, hasMore }: NextLogs): LogListState {
  if (state.rows[0]?.logId !== nextTo?.logId) return state
  const all = merged(logs, state.rows)
  const hasOlder = state.hasOlder || all.length > LOG_ROW_LIMIT
  return { ...state, rows: all.slice(0, LOG_ROW_LIMIT), hasOlder, hasNewer: hasMore, isSteady: true }
}

function merged(some: readonly LogJson[], others: readonly LogJson[]): readonly LogJson[] {
  const known = new Set(some.map(({ logId }) => logId))
  return [...some, ...others.filter(({ logId }) => !known.has(logId))].sort(newestFirst)
}

/** In the order of the store. Times of equally many digits, as those of this era, are compared as texts. */
function newestFirst(a: LogJson, b: LogJson): number {
  const [first, second] = [a.timeUnixNano, b.timeUnixNano]
  if (first.length !== second.length) return second.length - first.length
  if (first !== second) return first < second ? 1 : -1
  return a.logId < b.logId ? 1 : -1
}
