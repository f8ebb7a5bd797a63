import { defer, type Deferred } from "#app/_query/defer.ts"
import { fromStore } from "#app/_query/from-store.ts"
import type { QueryService } from "#otel/inspector/queries/query-service.ts"

/** Everything that a screen queries, now or deferred; `undefined` while the store is unavailable. */
export function readScreen<T>(query: (queries: QueryService) => Promise<T>): Promise<Deferred<T> | undefined> {
  return fromStore((context) => defer(query(context.queries), context))
}
