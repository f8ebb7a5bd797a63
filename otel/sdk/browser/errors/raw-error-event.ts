import type { Attributes } from "@opentelemetry/api"
import type { SpanRedaction } from "../../../protocol/otlp/format-spans.ts"
import type { DropReason } from "../../../protocol/records/drop.ts"
import type { Filters } from "../../filters.ts"
import { newTraceId } from "../recorder/ids.ts"
import type { PageError } from "./page-errors.ts"

/**
 * Formats an error as the smallest event that Sentry groups: type, value and trace. For an error of a page that is left before
 * a client is loaded that could parse its stack.
 *
 * @see https://develop.sentry.dev/sdk/data-model/event-payloads/
 */
export function rawErrorEvent({ thrown, message, mechanism, at, span, root }: PageError) {
  const context = span?.spanContext()
  const error: Partial<Error> = thrown instanceof Error ? thrown : {}
  const { name: type = "Error", message: value = message || String(thrown) } = error
  return {
    event_id: newTraceId(),
    platform: "javascript",
    level: "error",
    timestamp: at / 1e3,
    exception: { values: [{ type, value: bareText(value), mechanism }] },
    // `JSON.stringify` omits what is undefined.
    transaction: root?.name,
    contexts: context && { trace: { trace_id: context.traceId, span_id: context.spanId } },
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

/** A word, or more: what follows the name of an authentication scheme or of a secret, which the group holds, to its end. */
const WORD =
  /\S*((?:bearer|basic|digest|negotiate)\s+\S+|(?:authorization|cookie|passwo?r?d|phrase|pwd|secret|token|[\w-]key|jwt|otp|sid|srf|credentials?)["'\\\]]*(?:\s*[:>]|\s+=).*|-----BEGIN[^]*)|\S+/gi

/**
 * Redacts text before `redactText` is loaded, in a tenth of its bytes and more coarsely: it removes query, fragment and user
 * from URLs, replaces a line from the name of a secret on, and every word that assigns a value, looks like a token, or follows
 * the name of an authentication scheme.
 */
export function bareText(text: string): string {
  return text.replace(WORD, (word, scheme?: string) => {
    const address = word.includes("/") ? withoutUser(word.replace(/[?#].*/, "")) : word
    return scheme || /=|%3[AD]|eyJ|glpat|hf_|A[KS]IA|hooks?[./]|(?=[\w-]{0,31}\d)[\w-]{32}/i.test(address)
      ? "[Filtered]"
      : address
  })
}

/** A URL without its user: with a password, which may hold slashes, up to the last `@`; a port is no password. */
function withoutUser(url: string): string {
  const end = url.lastIndexOf("@") + 1
  return url.slice(0, end).replace(/\/\/([^/]*:\D.*|[^/]*@)/, "//") + url.slice(end)
}

/**
 * Redacts attributes before `redactAttribute` is loaded: leaves only those of Pagespan's own spans, without what the app added
 * under the name of a secret. Addresses and the session are those that Pagespan recorded.
 */
export function bareAttributes(attributes: Attributes): Attributes {
  const own = attributes["sentry.origin"] === undefined ? [] : Object.entries(attributes)
  const named = own.filter(([key]) => bareText(`${key}:`) === `${key}:`)
  return Object.fromEntries(
    named.map(([key, value]) => [
      key,
      typeof value === "string" && !/^(?:session|url)/.test(key) ? bareText(value) : value,
    ]),
  )
}

export const bareRedaction: SpanRedaction = { text: bareText, attributes: bareAttributes }
