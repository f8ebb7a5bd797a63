import Link from "next/link"
import { Message } from "#app/ui/message.tsx"

/** Nothing went wrong, or nothing that went wrong matches: the two are told apart. */
export function NoErrors({ filtered }: { filtered: boolean }) {
  if (filtered)
    return (
      <Message title="No error matches" level={2}>
        <p>One that does appears here by itself.</p>
      </Message>
    )
  return (
    <Message title="No errors" level={2}>
      <p>
        Errors that Sentry SDKs report, and exceptions that OpenTelemetry spans and logs record, are grouped here by
        their fingerprint.
      </p>
      <p>
        <Link href="/connect">Connect an application</Link>
      </p>
    </Message>
  )
}
