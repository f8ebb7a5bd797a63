import { RandomIdGenerator } from "@opentelemetry/sdk-trace-base"
import { bareText } from "./bare-text.ts"
import type { PageError } from "./page-error.ts"

const eventIds = new RandomIdGenerator()

/**
 * An error as the smallest event that Sentry groups: type, value and trace. For an error that happened in the moment in
 * which the page was left, before there was a client to read its stack.
 *
 * @see https://develop.sentry.dev/sdk/data-model/event-payloads/
 */
export function rawErrorEvent({ thrown, message, mechanism, at, span, root }: PageError) {
  const context = span?.spanContext()
  const type = thrown instanceof Error ? thrown.name : "Error"
  const value = thrown instanceof Error ? thrown.message : message || String(thrown)
  return {
    event_id: eventIds.generateTraceId(),
    platform: "javascript",
    level: "error",
    timestamp: at / 1e3,
    exception: { values: [{ type, value: bareText(value), mechanism }] },
    ...(root === undefined ? {} : { transaction: root.name }),
    ...(context === undefined ? {} : { contexts: { trace: { trace_id: context.traceId, span_id: context.spanId } } }),
  }
}
