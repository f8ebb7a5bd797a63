import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"

/** Attribute that keeps a span's own name where its description is another, as in Relay. */
export const SPAN_NAME = "sentry.name"

/** What a span is and how it went, in Sentry's words. */
export interface SpanWords {
  op(span: ReadableSpan): string | undefined
  status(span: ReadableSpan): string
  /** What a child is called where that is not its name. */
  description?(span: ReadableSpan): string | undefined
}
