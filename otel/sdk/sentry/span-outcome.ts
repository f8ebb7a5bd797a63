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

/** An HTTP status, which is the type of a request's error. */
const STATUS = /^\d{3}$/

/**
 * The events of a span of Next's with exceptions named by their class, as Sentry names them. OpenTelemetry's SDK names one by its
 * `code` if it has one, as errors of Prisma and of Node have. Next sets the name of the class as `error.type`.
 */
export function withClassNames({ attributes, events }: Outcome): readonly TimedEvent[] {
  const name = attributes["error.type"]
  if (attributes["next.span_type"] === undefined || typeof name !== "string" || STATUS.test(name)) return events
  const types = new Set(events.filter(isException).map((event) => event.attributes?.["exception.type"]))
  // Of several errors, it is the type of one.
  if (types.size !== 1 || types.has(name)) return events
  const named = (event: TimedEvent) => ({ ...event, attributes: { ...event.attributes, "exception.type": name } })
  return events.map((event) => (isException(event) ? named(event) : event))
}

function isException({ name }: TimedEvent): boolean {
  return name === "exception"
}

function isSignal(event: TimedEvent): boolean {
  return isException(event) && isFrameworkSignal(String(event.attributes?.["exception.message"]))
}

/** Whether a span with a signal has a failure of its own: an HTTP status, which is its error's type, or another message. */
function hasFailedItself({ attributes, status: { message = "" } }: ReadableSpan): boolean {
  return STATUS.test(String(attributes["error.type"])) || (message !== "" && !isFrameworkSignal(message))
}
