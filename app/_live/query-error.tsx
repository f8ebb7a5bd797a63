import Link from "next/link"
import type { Told } from "#app/_live/defer.ts"
import { Message } from "#app/_ui/layout/message.tsx"
import { shownText } from "#app/_ui/format/text.ts"

interface NotReadProps {
  readonly answer: Exclude<Told<unknown>, { is: "read" }>
  /** What could not be read, as a title says it: `This list`. */
  readonly what: string
  /** Of what was asked, to ask for it again. */
  readonly address: string
}

/** In the place of an answer that nobody waits for any more, or that the store could not give. */
export function QueryError({ answer, what, address }: NotReadProps) {
  return (
    <Message title={answer.is === "stopped" ? "Stopped" : `${what} could not be read`} level={2}>
      <p>
        {answer.is === "stopped"
          ? "The store was told to stop reading. A shorter window of time or a narrower filter is quicker."
          : shownText(answer.why)}
      </p>
      <p>
        <Link href={address} prefetch={false}>
          Read it again
        </Link>
      </p>
    </Message>
  )
}
