/**
 * How a finished root and its children reach Sentry: as one transaction of at most 1,000 children, or as spans of Sentry's
 * second span protocol, of any number. Never as both, for Sentry would count and show each span twice.
 */
export type SpanForm = "transaction" | "stream"

/** `auto`: a transaction where it has room for all children, else a stream. */
export const SPAN_SETTINGS = ["auto", "transaction", "stream"] as const
export type SpanSetting = (typeof SPAN_SETTINGS)[number]
