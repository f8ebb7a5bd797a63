import type { ReactNode } from "react"
import { ResultFrame } from "#app/_query/result-frame.tsx"
import type { Deferred, Outcome } from "#app/_query/defer.ts"
import { LateTitle } from "#app/_query/late-title.tsx"
import { QueryError } from "#app/_query/query-error.tsx"
import { SlowQuery } from "#app/_query/slow-query.tsx"
import { Problems } from "#app/_query/store-starting.tsx"
import { ScreenBar } from "#app/_ui/layout/screen-bar.tsx"

interface QueryResultProps<T> {
  readonly result: Deferred<T>
  /** Address of this screen, for the link that retries. */
  readonly address: string
  /** Heading while the query runs, and when it fails. */
  readonly title: string
  /** Title of the tab, where the result gives it. */
  readonly titleOf?: ((value: T) => string) | undefined
  /** Renders the screen from the result. */
  readonly children: (value: T) => ReactNode
}

/** Streams a screen in when its query resolves. A slow query shows its progress and a cancel button. */
export function QueryResult<T>({ result, address, title, titleOf, children }: QueryResultProps<T>) {
  const isPending = result.is === "pending"
  // Outside the Suspense boundary: a fallback inside it is not hydrated.
  return (
    <>
      <Problems />
      {isPending && <SlowQuery key={result.id} id={result.id} ended={result.ended} />}
      <ResultFrame address={address} isPending={isPending} fallback={<ScreenBar title={title} />}>
        {isPending ? (
          <Pending outcome={result.value} address={address} title={title} titleOf={titleOf}>
            {children}
          </Pending>
        ) : (
          <Shown>{children(result.value)}</Shown>
        )}
      </ResultFrame>
    </>
  )
}

interface PendingProps<T> extends Omit<QueryResultProps<T>, "result"> {
  readonly outcome: Promise<Outcome<T>>
}

async function Pending<T>({ outcome, address, title, titleOf, children }: PendingProps<T>) {
  const settled = await outcome
  if (settled.is === "ready") {
    return <Shown title={titleOf?.(settled.value)}>{children(settled.value)}</Shown>
  }
  return (
    <>
      <ScreenBar title={title} />
      <QueryError outcome={settled} what="This screen" address={address} />
    </>
  )
}

/**
 * The screen, at the same place in the tree whether its query was slow or not: a refresh keeps the state of the screen.
 *
 * @param props.title of the tab, where the metadata did not have it.
 */
function Shown({ title, children }: { title?: string | undefined; children: ReactNode }) {
  return (
    <>
      {title !== undefined && <LateTitle title={title} />}
      {children}
    </>
  )
}
