import { type Asked, isStopped } from "#app/feed/from-store.ts"

/** How long a page waits for an answer before it comes without it, and says that it is being read. */
const SOON_MS = 700

/** An answer of the store that a page has, or still waits for. */
export type SoonOrLater<T> =
  | { readonly is: "soon"; readonly value: T }
  | {
      readonly is: "later"
      readonly value: Promise<Told<T>>
      /** By which the page ends it; `undefined` where that cannot be done. */
      readonly id: string | undefined
      /** Resolves when there is nothing to wait for any more. */
      readonly ended: Promise<void>
    }

/** A page that is on its way cannot fail any more: it tells what was wrong in the answer's place. */
export type Told<T> =
  | { readonly is: "read"; readonly value: T }
  | { readonly is: "stopped" }
  | { readonly is: "failed"; readonly why: string }

/** Rejects where the answer does so soon. */
export async function soonOrLater<T>(answer: Promise<T>, { readingId }: Asked): Promise<SoonOrLater<T>> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), SOON_MS)
  })
  const soon = await Promise.race([answer.then((value) => ({ is: "soon", value }) as const), late])
  clearTimeout(timer)
  if (soon !== undefined) return soon
  const value = answer.then(
    (read) => ({ is: "read", value: read }) as const,
    (error: unknown) =>
      isStopped(error)
        ? ({ is: "stopped" } as const)
        : ({ is: "failed", why: error instanceof Error ? error.message : String(error) } as const),
  )
  return { is: "later", value, id: readingId, ended: value.then(() => undefined) }
}
