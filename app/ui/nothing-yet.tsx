import Link from "next/link"
import { Message } from "#app/ui/message.tsx"

/** Before the first span: what would be here, and how to get it here. */
export function NothingYet() {
  return (
    <Message title="No traces yet" level={2}>
      <p>
        Point any OpenTelemetry or Sentry SDK here and its traces appear by themselves. An OpenTelemetry SDK without
        configuration already sends to port 4318 of its own machine.
      </p>
      <p>
        <Link href="/connect">Connect an application</Link>
      </p>
    </Message>
  )
}
