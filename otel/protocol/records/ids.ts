import { createHash } from "node:crypto"

/**
 * Trace and span ids as lower-case hexadecimal text, the form that W3C Trace Context, OTLP/JSON and
 * Sentry share. A branded id has been checked: right length, hexadecimal, not all zeros.
 *
 * @see https://www.w3.org/TR/trace-context/#trace-id
 */
export type TraceId = string & { readonly __brand: "TraceId" }
export type SpanId = string & { readonly __brand: "SpanId" }

const TRACE_ID = /^(?!0{32})[0-9a-f]{32}$/
const SPAN_ID = /^(?!0{16})[0-9a-f]{16}$/

/** The id in lower case, or `undefined` when the text is not a valid trace id. Either case is read. */
export function parseTraceId(text: string): TraceId | undefined {
  const id = text.toLowerCase()
  return TRACE_ID.test(id) ? (id as TraceId) : undefined
}

/** The id in lower case, or `undefined` when the text is not a valid span id. Either case is read. */
export function parseSpanId(text: string): SpanId | undefined {
  const id = text.toLowerCase()
  return SPAN_ID.test(id) ? (id as SpanId) : undefined
}

/** 32 hexadecimal digits that depend only on the parts. They identify records for deduplication and are not a security measure. */
export function recordId(...parts: readonly string[]): string {
  const hash = createHash("md5")
  // The length prefix distinguishes ("ab", "c") from ("a", "bc").
  for (const part of parts) hash.update(`${part.length}:${part}`)
  return hash.digest("hex")
}
