import Link from "next/link"
import { Message } from "#app/_ui/layout/message.tsx"

export default function UnknownIssue() {
  return (
    <Message title="Error not found">
      <p>No event of this error is stored. It may not have arrived, or it may have expired.</p>
      <p>
        <Link href="/errors">All errors</Link>
      </p>
    </Message>
  )
}
