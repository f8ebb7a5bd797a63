import { RandomIdGenerator } from "@opentelemetry/sdk-trace-base"
import type { DropReason } from "../../../protocol/records/drop.ts"
import type { Filters } from "../../filters.ts"
import type { PageError } from "./page-errors.ts"

const eventIds = new RandomIdGenerator()

/**
 * Formats an error as the smallest event that Sentry groups: type, value and trace. For an error of a page that is left before
 * a client is loaded that could parse its stack.
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

/** What matches most often of the default filters, as the browser's own errors have it. The others are loaded with the client. */
const NOISE = /^(?:Script error|ResizeObserver loop)/

/**
 * Why an error is not sent without the client, if it is not: it is noise, or the app has rules, which need the whole event.
 * `beforeSend` may be what removes a secret.
 */
export function rawErrorDrop({ message }: PageError, filters: Partial<Filters>): DropReason | undefined {
  const { transactions: _, ...rules } = filters
  if (Object.keys(rules).length > 0) return "page_left"
  return NOISE.test(message) ? "noisy_error" : undefined
}

/**
 * Redacts an error's text before `redactText` is loaded, in a tenth of its bytes and more coarsely: it removes query, fragment
 * and user from URLs, and replaces every word that assigns a value, looks like a token, or follows the name of an
 * authentication scheme.
 */
export function bareText(text: string): string {
  return text.replace(/\S*(bearer|basic|digest|negotiate|dsn)\s+\S+|\S+/gi, (word, scheme?: string) => {
    const address = word.includes("/") ? word.replace(/[?#].*/, "").replace(/\/\/[^/]*@/, "//") : word
    return scheme || /=|%3D|eyJ/i.test(address) ? "[Filtered]" : address
  })
}
