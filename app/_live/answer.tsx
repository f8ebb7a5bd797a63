import type { ReactNode } from "react"
import { AnswerFrame } from "#app/_live/answer-frame.tsx"
import type { Deferred, Told } from "#app/_live/defer.ts"
import { QueryError } from "#app/_live/query-error.tsx"
import { SlowQuery } from "#app/_live/slow-query.tsx"
import { ScreenBar } from "#app/_ui/layout/screen-bar.tsx"

interface AnswerProps<T> {
  readonly reading: Deferred<T>
  /** Of this screen, to ask for it again. */
  readonly address: string
  /** The screen's heading while it is read, and where it was not. */
  readonly title: string
  /** The screen, from what was read. */
  readonly children: (value: T) => ReactNode
}

/** A screen as soon as it is read. One that is read for long says so, and can be told to stop. */
export function Answer<T>({ reading, address, title, children }: AnswerProps<T>) {
  const isLate = reading.is === "later"
  // Above the place that waits: what stands in it meanwhile does not run in the page.
  return (
    <>
      {isLate && <SlowQuery key={reading.id} id={reading.id} ended={reading.ended} />}
      <AnswerFrame address={address} isLate={isLate} fallback={<ScreenBar title={title} />}>
        {isLate ? (
          <Late told={reading.value} address={address} title={title}>
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
  readonly told: Promise<Told<T>>
}

async function Late<T>({ told, address, title, children }: LateProps<T>) {
  const answer = await told
  if (answer.is === "read") return children(answer.value)
  return (
    <>
      <ScreenBar title={title} />
      <QueryError answer={answer} what="This screen" address={address} />
    </>
  )
}
