import type { Transaction } from "./transaction.ts"

const VITAL_SPAN_PREFIX = "browser.web_vital."

export function isVital({ name }: { readonly name: string }): boolean {
  return name.startsWith(VITAL_SPAN_PREFIX)
}

/** Of a vital that settled, or a request that started, after its root had ended: the name of that root. */
export const SEGMENT_NAME = "sentry.segment.name"

/** Whether this is such a span of a page: it is sent by itself and belongs to that root. */
export function isLate({ payload }: Transaction): boolean {
  return payload.platform === "javascript" && SEGMENT_NAME in payload.contexts.trace.data
}
