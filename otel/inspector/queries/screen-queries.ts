import type { Config } from "../config.ts"
import { guardHost } from "../ingest/http/guards.ts"
import type { HealthReport } from "../ingest/http/health.ts"
import { getInspector } from "../instance.ts"
import type { RunLookup } from "../search/index.ts"
import { QUERY_HEADER } from "./active-queries.ts"
import type { QueryService } from "./query-service.ts"
import { type SavedFilterJson, savedFilterToJson } from "./saved-filters/saved-filter.ts"

/** How the screens of this process reach the inspector: its queries, once the request may see records, and its settings. */

/** What a screen queries for one request. */
export interface QueryContext {
  /** Queries end in the store when the client disconnects or cancels. */
  readonly queries: QueryService
  /** Path parameter of `DELETE /api/queries/{id}`; `undefined` where Next runs without the start command. */
  readonly queryId: string | undefined
}

/** A request for a host that is not served may come from a foreign page that points its own name at this machine. */
export type QueryRefusal = "unknown_host" | "not_signed_in"

/** @param headers of the screen's request. */
export function openQueries(headers: Pick<Headers, "get">): QueryContext | QueryRefusal {
  const inspector = getInspector()
  if (!inspector.serves(headers.get("host"))) return "unknown_host"
  if (!inspector.receiver.maySee(headers)) return "not_signed_in"
  const queryId = headers.get(QUERY_HEADER)
  const signal = inspector.activeQueries.signalOf(queryId)
  return {
    queries: signal === undefined ? inspector.queries : inspector.queries.withSignal(signal),
    queryId: queryId ?? undefined,
  }
}

/**
 * What is wrong with the inspector and what to do, a line each. None for a request that may not see records, because they
 * name directories.
 *
 * @param headers of the screen's request.
 */
export function inspectorProblems(headers: Pick<Headers, "get">): readonly string[] {
  const { config, receiver, store } = getInspector()
  if (guardHost({ headers }, config.PAGESPAN_ALLOWED_HOSTS) !== undefined || !receiver.maySee(headers)) return []
  const ofIngest = receiver.problem()
  const ofStore = store.state === "ready" ? receiver.insertProblem() : store.problem
  const waits = ofIngest === undefined ? " New data is accepted, and waits in the journal." : ""
  return [
    ...(ofIngest === undefined ? [] : [ofIngest]),
    ...(ofStore === undefined ? [] : [`${ofStore.replace(/\.$/, "")}.${waits}`]),
  ]
}

/** What screens show or need of the inspector besides stored records. */
export interface InspectorInfo {
  readonly config: Config
  /** `service.name`s of Pagespan's own spans. */
  readonly internalServices: readonly string[]
  /** Resolves `run:` in a filter. */
  readonly runs: RunLookup
  health(): HealthReport
  /** The saved filters by name. Rejects where their file cannot be read. */
  savedFilters(): Promise<readonly SavedFilterJson[]>
}

export function inspectorInfo(): InspectorInfo {
  const { config, internalServices, runs, health, savedFilters } = getInspector()
  return {
    config,
    internalServices,
    runs: runs.lookup,
    health,
    savedFilters: async () => (await savedFilters.list()).map(savedFilterToJson),
  }
}
