import Link from "next/link"
import { Message } from "#app/_ui/layout/message.tsx"

export default function UnknownIssue() {
  return (
    <Message title="This error is not known">
      <p>No event of it has arrived, or all of them went by retention.</p>
      <p>
        <Link href="/errors">All errors</Link>
      </p>
    </Message>
  )
}
