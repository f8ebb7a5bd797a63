import type { SpanContext } from "@opentelemetry/api"

/** Whether both ids are valid, by the rules of OpenTelemetry's API, which a page loads late. */
export function isValidContext({ traceId, spanId }: SpanContext): boolean {
  return /^(?!0+$)[\da-f]{32}$/i.test(traceId) && /^(?!0+$)[\da-f]{16}$/i.test(spanId)
}
