import { fromMilliseconds } from "../../../protocol/records/time.ts"
import { type FilterProblem, parseFilter, parseLogFilter, type RunLookup, withoutInternal } from "../../search/index.ts"
import { parseAge } from "../list/time-range.ts"
import type { QueryService } from "../query-service.ts"
import { hidesInternal, type SavedFilter, type Watch } from "./saved-filter.ts"

/** What a watch measured last. */
export interface WatchState extends Watch {
  /** Of the saved filter. */
  readonly id: string
  readonly name: string
  /** The screen with the filter and the watched time. */
  readonly address: string
  /** In the unit of the threshold; `null` without a trace, and where the measurement failed. */
  readonly value: number | null
  readonly state: "ok" | "tripped" | "unknown"
  /** ISO 8601: when this state began, as far as the inspector watched; `null` while it is unknown. */
  readonly since: string | null
}

/** What decides how a filter is measured. */
export interface WatchSettings {
  readonly internalServices: readonly string[]
  readonly runs: RunLookup
}

/** The value of a watch now; `undefined` where there is nothing to measure. Rejects when the query fails. */
export async function measureWatch(
  queries: QueryService,
  filter: SavedFilter & { readonly watch: Watch },
  nowMs: number,
  { internalServices, runs }: WatchSettings,
): Promise<number | undefined> {
  const { screen, parameters, watch } = filter
  const since = fromMilliseconds(nowMs - (parseAge(watch.window) ?? 0))
  const text = parameters["q"] ?? ""
  if (screen === "logs") {
    const { tree, problem } = parseLogFilter(text)
    refuse(problem)
    return (await queries.logOverview({ since, filter: tree }, nowMs)).logs
  }
  const { tree, problem } = parseFilter(text, runs)
  refuse(problem)
  const selected = hidesInternal(filter) ? withoutInternal(tree, internalServices) : tree
  const { traces, failed, p95 } = await queries.traceFigures({ since, filter: selected })
  if (watch.measure === "count") return traces
  if (watch.measure === "failed") return traces === 0 ? undefined : (failed / traces) * 100
  return p95 === undefined ? undefined : Number(p95) / 1e6
}

/** Without its filter, the watch would measure everything. */
function refuse(problem: FilterProblem | undefined): void {
  if (problem !== undefined) throw new Error(problem.message)
}

/** The state after a measurement. It keeps the time of the state before when that was the same. */
export function nextState(
  filter: SavedFilter & { readonly watch: Watch },
  value: number | undefined | "failed",
  before: WatchState | undefined,
  nowMs: number,
): WatchState {
  const { id, name, screen, parameters, watch } = filter
  const { q = "", own } = parameters
  const query = new URLSearchParams({ q, since: watch.window, ...(own !== undefined && { own }) })
  const state = value === "failed" ? "unknown" : value !== undefined && value > watch.above ? "tripped" : "ok"
  const since = before?.state === state ? before.since : new Date(nowMs).toISOString()
  return {
    id,
    name,
    address: `/${screen}?${query}`,
    ...watch,
    value: typeof value === "number" ? value : null,
    state,
    since: state === "unknown" ? null : since,
  }
}
