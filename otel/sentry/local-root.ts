import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"

/** A root of this process: it has no parent, or its parent is in another process. */
export function isLocalRoot(span: ReadableSpan): boolean {
  return span.parentSpanContext === undefined || span.parentSpanContext.isRemote === true
}
