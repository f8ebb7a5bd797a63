import { RandomIdGenerator } from "@opentelemetry/sdk-trace-base"
import type { PageError } from "./page-errors.ts"

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

/**
 * An error's text without what may be a secret, for the moment before `redactText` has been loaded, in a tenth of its
 * bytes: addresses lose query, fragment and user, and a word that assigns something, looks like a token, or follows the
 * name of an authentication scheme goes as a whole.
 */
export function bareText(text: string): string {
  return text.replace(/\S*(bearer|basic|digest|negotiate|dsn)\s+\S+|\S+/gi, (word, scheme?: string) => {
    const address = word.includes("/") ? word.replace(/[?#].*/, "").replace(/\/\/[^/]*@/, "//") : word
    return scheme || /=|%3D|eyJ/i.test(address) ? "[Filtered]" : address
  })
}
