import type { ReactNode } from "react"
import { AnswerFrame } from "#app/_live/answer-frame.tsx"
import type { Deferred, Outcome } from "#app/_live/defer.ts"
import { QueryError } from "#app/_live/query-error.tsx"
import { SlowQuery } from "#app/_live/slow-query.tsx"
import { ScreenBar } from "#app/_ui/layout/screen-bar.tsx"

interface AnswerProps<T> {
  readonly reading: Deferred<T>
  /** Address of this screen, for the link that retries. */
  readonly address: string
  /** Heading while the query runs, and when it fails. */
  readonly title: string
  /** Renders the screen from the result. */
  readonly children: (value: T) => ReactNode
}

/** Streams a screen in when its query resolves. A slow query shows its progress and a cancel button. */
export function Answer<T>({ reading, address, title, children }: AnswerProps<T>) {
  const isLate = reading.is === "later"
  // Outside the Suspense boundary: a fallback inside it is not hydrated.
  return (
    <>
      {isLate && <SlowQuery key={reading.id} id={reading.id} ended={reading.ended} />}
      <AnswerFrame address={address} isLate={isLate} fallback={<ScreenBar title={title} />}>
        {isLate ? (
          <Late outcome={reading.value} address={address} title={title}>
            {children}
          </Late>
        ) : (
          children(reading.value)
        )}
      </AnswerFrame>
    </>
  )
}

interface LateProps<T> extends Omit<AnswerProps<T>, "reading"> {
  readonly outcome: Promise<Outcome<T>>
}

async function Late<T>({ outcome, address, title, children }: LateProps<T>) {
  const answer = await outcome
  if (answer.is === "read") return children(answer.value)
  return (
    <>
      <ScreenBar title={title} />
      <QueryError answer={answer} what="This screen" address={address} />
    </>
  )
}
