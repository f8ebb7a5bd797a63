import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"

/** What a span is and how it went, in Sentry's words. */
export interface SpanWords {
  op(span: ReadableSpan): string | undefined
  status(span: ReadableSpan): string
}
