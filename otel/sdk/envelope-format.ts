import { TRANSACTION_SPAN_LIMIT } from "../protocol/limits.ts"

/**
 * How a finished root and its children reach Sentry: as one transaction of at most 1,000 children, or as any number of spans
 * of Sentry's second span protocol. Never both, because Sentry would count and show each span twice.
 */
export type EnvelopeFormat = "transaction" | "stream"

/** `auto` sends a transaction if it has room for all children, and a stream otherwise. */
export const ENVELOPE_FORMATS = ["auto", "transaction", "stream"] as const
export type EnvelopeFormatSetting = (typeof ENVELOPE_FORMATS)[number]

/** Most traces whose format is remembered. The oldest is evicted first. */
const TRACE_LIMIT = 1_000

/** The format of each trace, fixed at its first root, so that no span of a trace is sent in both. */
export class TraceFormats {
  readonly #setting: EnvelopeFormatSetting
  readonly #byTrace = new Map<string, EnvelopeFormat>()

  constructor(setting: EnvelopeFormatSetting) {
    this.#setting = setting
  }

  /** The trace's format. @param children number of children of the root that is about to be sent. */
  of(traceId: string, children: number): EnvelopeFormat {
    if (this.#setting !== "auto") return this.#setting
    const format = this.#byTrace.get(traceId) ?? (children > TRANSACTION_SPAN_LIMIT ? "stream" : "transaction")
    this.settle(traceId, format)
    return format
  }

  /** Fixes the trace's format. */
  settle(traceId: string, format: EnvelopeFormat): void {
    const [oldest] = this.#byTrace.keys()
    if (this.#byTrace.size >= TRACE_LIMIT && oldest !== undefined) this.#byTrace.delete(oldest)
    this.#byTrace.set(traceId, format)
  }
}
