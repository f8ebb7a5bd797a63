import type { ReactNode } from "react"
import type { Deferred, Outcome } from "#app/_query/defer.ts"
import { QueryError } from "#app/_query/query-error.tsx"

interface ListResultProps<T> {
  readonly result: Deferred<T>
  /** Address to retry. */
  readonly address: string
  readonly children: (list: T) => ReactNode
}

/** The list when its query resolves, or why there is none. */
export function ListResult<T>({ result, address, children }: ListResultProps<T>) {
  if (result.is === "ready") return children(result.value)
  return (
    <PendingList outcome={result.value} address={address}>
      {children}
    </PendingList>
  )
}

type PendingListProps<T> = Omit<ListResultProps<T>, "result"> & { readonly outcome: Promise<Outcome<T>> }

async function PendingList<T>({ outcome, address, children }: PendingListProps<T>) {
  const settled = await outcome
  if (settled.is === "ready") return children(settled.value)
  return <QueryError outcome={settled} what="This list" address={address} />
}
