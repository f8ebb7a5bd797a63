import type { Attributes } from "@opentelemetry/api"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import type { Transaction } from "./transaction-payload.ts"

// A page needs these before it hydrates. They share no file with what it loads once it is idle: a bundler puts a file into
// the first load as a whole.

/** Whether a span is a root of this process: it has no parent, or its parent is in another process. */
export function isLocalRoot(span: ReadableSpan): boolean {
  return span.parentSpanContext === undefined || span.parentSpanContext.isRemote === true
}

/** Name of the attribute that marks a late span: a vital that settled, or a request that started, after its root had ended. Its value is the root's name. */
export const SEGMENT_NAME = "sentry.segment.name"

/** Whether a transaction holds a late span of a page. It is sent by itself, as a span of the root that it belongs to. */
export function isLate({ payload }: Transaction): boolean {
  return payload.platform === "javascript" && SEGMENT_NAME in payload.contexts.trace.data
}

/** Whether a span reports a web vital. */
export function isVital({ name }: { readonly name: string }): boolean {
  // An app may start a span without a name.
  return String(name).startsWith("browser.web_vital.")
}

/** The status code of an HTTP response, by the stable attribute name or the deprecated one. */
export function httpStatusCode(attributes: Attributes): number | undefined {
  const code = Number(attributes["http.response.status_code"] ?? attributes["http.status_code"])
  return Number.isInteger(code) && code > 0 ? code : undefined
}
