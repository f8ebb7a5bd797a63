import { isQueryCancelled, isStoreUnavailable } from "#otel/inspector/queries/query-service.ts"
import type { QueryContext } from "#otel/inspector/queries/screen-queries.ts"

/** How long a page waits for its query before it streams without the result, in milliseconds. */
const SOON_MS = 700

/** A query result that is ready, or still pending. */
export type Deferred<T> =
  | { readonly is: "soon"; readonly value: T }
  | {
      readonly is: "later"
      readonly value: Promise<Outcome<T>>
      /** Path parameter of `DELETE /api/queries/{id}`; `undefined` where the query cannot be cancelled. */
      readonly id: string | undefined
      /** Resolves when the query settles. */
      readonly ended: Promise<void>
    }

/** The result of a pending query, or why there is none. */
export type Outcome<T> =
  | { readonly is: "read"; readonly value: T }
  | { readonly is: "stopped" }
  /** The store is unavailable. */
  | { readonly is: "away"; readonly why: string }

/** Rejects for any other failure, now or later: the error view shows and reports it. */
export async function defer<T>(answer: Promise<T>, { queryId }: QueryContext): Promise<Deferred<T>> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), SOON_MS)
  })
  const soon = await Promise.race([answer.then((value) => ({ is: "soon", value }) as const), late])
  clearTimeout(timer)
  if (soon !== undefined) return soon
  const value = answer.then(
    (read) => ({ is: "read", value: read }) as const,
    (error: unknown) => {
      if (isQueryCancelled(error)) return { is: "stopped" } as const
      if (isStoreUnavailable(error)) return { is: "away", why: error.message } as const
      throw error
    },
  )
  return { is: "later", value, id: queryId, ended: value.then(nothing, nothing) }
}

function nothing(): void {}
