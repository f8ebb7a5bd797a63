import { isQueryCancelled, isStoreUnavailable } from "#otel/inspector/queries/query-failures.ts"
import type { QueryContext } from "#otel/inspector/queries/screen-queries.ts"

/** How long a page waits for its query before it streams without the result, in milliseconds. */
const READY_MS = 700

/** A query result that is ready, or still pending. */
export type Deferred<T> =
  | { readonly is: "ready"; readonly value: T }
  | {
      readonly is: "pending"
      readonly value: Promise<Outcome<T>>
      /** Path parameter of `DELETE /api/queries/{id}`; `undefined` where the query cannot be cancelled. */
      readonly id: string | undefined
      /** Resolves when the query settles. */
      readonly ended: Promise<void>
    }

/** The result of a pending query, or why there is none. */
export type Outcome<T> =
  | { readonly is: "ready"; readonly value: T }
  | { readonly is: "cancelled" }
  /** The store is unavailable. */
  | { readonly is: "unavailable"; readonly why: string }

/** Rejects for any other failure, now or later: the error view shows and reports it. */
export async function defer<T>(result: Promise<T>, { queryId }: QueryContext): Promise<Deferred<T>> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), READY_MS)
  })
  const ready = await Promise.race([result.then((value) => ({ is: "ready", value }) as const), timeout])
  clearTimeout(timer)
  if (ready !== undefined) return ready
  const value = result.then(
    (settled) => ({ is: "ready", value: settled }) as const,
    (error: unknown) => {
      if (isQueryCancelled(error)) return { is: "cancelled" } as const
      if (isStoreUnavailable(error)) return { is: "unavailable", why: error.message } as const
      throw error
    },
  )
  return { is: "pending", value, id: queryId, ended: value.then(nothing, nothing) }
}

function nothing(): void {}
