import { SpanStatusCode } from "@opentelemetry/api"
import type { ReadableSpan, TimedEvent } from "@opentelemetry/sdk-trace-base"
import { isFrameworkSignal } from "../framework-signals.ts"

type Outcome = Pick<ReadableSpan, "attributes" | "events" | "status">

/**
 * How a span ended, without the control flow of Next.js: a `notFound()` or `redirect()` passes through the spans of Next's own
 * steps, such as `generateMetadata`, as an exception that marks them as failed. A span without another failure is unset.
 */
export function outcomeOf(span: ReadableSpan): Outcome {
  const events = span.events.filter((event) => !isSignal(event))
  if (events.length === span.events.length) return span
  const { attributes, status } = span
  if (status.code !== SpanStatusCode.ERROR || events.some(isException) || hasFailedItself(span))
    return { attributes, events, status }
  const { "error.type": _, ...others } = attributes
  return { attributes: others, events, status: { code: SpanStatusCode.UNSET } }
}

function isException({ name }: TimedEvent): boolean {
  return name === "exception"
}

function isSignal(event: TimedEvent): boolean {
  return isException(event) && isFrameworkSignal(String(event.attributes?.["exception.message"]))
}

/** Whether a span with a signal has a failure of its own: an HTTP status, which is its error's type, or another message. */
function hasFailedItself({ attributes, status: { message = "" } }: ReadableSpan): boolean {
  return /^\d{3}$/.test(String(attributes["error.type"])) || (message !== "" && !isFrameworkSignal(message))
}
