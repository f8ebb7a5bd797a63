import type { Span } from "@opentelemetry/api"
import { digestOf, ERROR_DIGEST } from "../sentry/error-digest.ts"

/**
 * Puts an error on a span as an `exception` event, as `recordException` does, and with Next's digest where it has one.
 *
 * @param text what is told of something thrown that is no error.
 * @see https://opentelemetry.io/docs/specs/semconv/exceptions/exceptions-spans/
 */
export function recordError(span: Span | undefined, thrown: unknown, text: string): void {
  const digest = digestOf(thrown)
  if (digest === undefined || !(thrown instanceof Error))
    return span?.recordException(thrown instanceof Error ? thrown : text)
  span?.addEvent("exception", {
    "exception.type": thrown.name,
    "exception.message": thrown.message,
    "exception.stacktrace": thrown.stack ?? "",
    [ERROR_DIGEST]: digest,
  })
}
