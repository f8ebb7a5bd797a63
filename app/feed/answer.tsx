import type { ReactNode } from "react"
import { AnswerFrame } from "#app/feed/answer-frame.tsx"
import { LongReading } from "#app/feed/long-reading.tsx"
import { NotRead } from "#app/feed/not-read.tsx"
import type { SoonOrLater, Told } from "#app/feed/soon-or-later.ts"
import { ScreenBar } from "#app/ui/screen-bar.tsx"

interface AnswerProps<T> {
  readonly reading: SoonOrLater<T>
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
      {isLate && <LongReading key={reading.id} id={reading.id} ended={reading.ended} />}
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
      <NotRead answer={answer} what="This screen" address={address} />
    </>
  )
}
