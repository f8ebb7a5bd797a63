import Link from "next/link"
import type { Outcome } from "#app/_live/defer.ts"
import { shownText } from "#app/_ui/format/text.ts"
import { Message } from "#app/_ui/layout/message.tsx"

interface QueryErrorProps {
  readonly answer: Exclude<Outcome<unknown>, { is: "read" }>
  /** What failed to load, as the title starts: `This list`. */
  readonly what: string
  /** Address to retry. */
  readonly address: string
}

/** Replaces a result after the query was cancelled or the store failed. */
export function QueryError({ answer, what, address }: QueryErrorProps) {
  return (
    <Message title={answer.is === "stopped" ? "Query cancelled" : `${what} could not be loaded`} level={2}>
      <p>{answer.is === "stopped" ? "A shorter time range or a narrower filter is faster." : shownText(answer.why)}</p>
      <p>
        <Link href={address} prefetch={false}>
          Retry
        </Link>
      </p>
    </Message>
  )
}
