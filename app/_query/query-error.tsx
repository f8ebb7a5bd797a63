import Link from "next/link"
import type { Outcome } from "#app/_query/defer.ts"
import { shownText } from "#app/_ui/format/text.ts"
import { Message } from "#app/_ui/layout/message.tsx"

interface QueryErrorProps {
  readonly outcome: Exclude<Outcome<unknown>, { is: "ready" }>
  /** What failed to load, as the title starts: `This list`. */
  readonly what: string
  /** Address to retry. */
  readonly address: string
}

/** Replaces a result after the query was cancelled or the store failed. */
export function QueryError({ outcome, what, address }: QueryErrorProps) {
  return (
    <Message title={outcome.is === "cancelled" ? "Query cancelled" : `${what} could not be loaded`} level={2}>
      <p>
        {outcome.is === "cancelled" ? "A shorter time range or a narrower filter is faster." : shownText(outcome.why)}
      </p>
      <p>
        <Link href={address} prefetch={false}>
          Retry
        </Link>
      </p>
    </Message>
  )
}
