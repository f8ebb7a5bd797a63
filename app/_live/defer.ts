import { isQueryCancelled, isStoreUnavailable } from "#otel/inspector/queries/query-service.ts"
import type { QueryContext } from "#otel/inspector/queries/screen-queries.ts"

/** How long a page waits for an answer before it comes without it, and says that it is being read. */
const SOON_MS = 700

/** An answer of the store that a page has, or still waits for. */
export type Deferred<T> =
  | { readonly is: "soon"; readonly value: T }
  | {
      readonly is: "later"
      readonly value: Promise<Told<T>>
      /** By which the page ends it; `undefined` where that cannot be done. */
      readonly id: string | undefined
      /** Resolves when there is nothing to wait for any more. */
      readonly ended: Promise<void>
    }

/** What a page tells in the answer's place, besides the answer: what is no fault of its own. */
export type Told<T> =
  | { readonly is: "read"; readonly value: T }
  | { readonly is: "stopped" }
  /** The store is away. */
  | { readonly is: "away"; readonly why: string }

/** Rejects where the answer does so, soon or later: a fault of ours shows the error view and is reported. */
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
