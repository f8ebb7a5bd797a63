import type { LogJson } from "#otel/inspector/queries/logs/log-json.ts"

/** State of the live list of logs, newest first, changed by pure functions. New logs wait while the user reads. */
export interface LogListState {
  readonly rows: readonly LogJson[]
  /** New logs, not shown yet. */
  readonly waiting: readonly LogJson[]
  /** Whether more logs arrived than one page holds: older ones among them are missing from `rows` and `waiting`. */
  readonly hasGap: boolean
}

/** Most rows in the page, and most new logs that wait. */
export const LOG_ROW_LIMIT = 5_000

export function logListOf(rows: readonly LogJson[]): LogListState {
  return { rows, waiting: [], hasGap: false }
}

/**
 * The newest page from the server. Logs that it has and the list has not are new, also where their time is older than that
 * of the newest row. Without a row in common, the page replaces the list.
 */
export function withNewest(
  state: LogListState,
  page: readonly LogJson[],
  isFull: boolean,
  reading: boolean,
): LogListState {
  const known = new Set([...state.rows, ...state.waiting].map(({ logId }) => logId))
  const news = page.filter(({ logId }) => !known.has(logId))
  if (news.length === 0) return state
  const hasGap = state.hasGap || (isFull && known.size > 0 && news.length === page.length)
  const next = { ...state, waiting: merged(news, state.waiting), hasGap }
  return reading ? next : shown(next)
}

/** Shows what waited. */
export function shown({ rows, waiting, hasGap }: LogListState): LogListState {
  return logListOf(hasGap ? waiting : merged(waiting, rows))
}

/** Appends an older page. */
export function withOlderLogs(state: LogListState, older: readonly LogJson[]): LogListState {
  return { ...state, rows: merged(state.rows, older) }
}

function merged(some: readonly LogJson[], others: readonly LogJson[]): readonly LogJson[] {
  const known = new Set(some.map(({ logId }) => logId))
  return [...some, ...others.filter(({ logId }) => !known.has(logId))].sort(newestFirst).slice(0, LOG_ROW_LIMIT)
}

/** In the order of the store. */
function newestFirst(a: LogJson, b: LogJson): number {
  const [first, second] = [BigInt(a.timeUnixNano), BigInt(b.timeUnixNano)]
  if (first !== second) return first < second ? 1 : -1
  return a.logId < b.logId ? 1 : -1
}
