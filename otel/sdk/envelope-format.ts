import { TRANSACTION_SPAN_LIMIT } from "../protocol/limits.ts"

/**
 * How a finished root and its children reach Sentry: as one transaction of at most 1,000 children, or as spans of Sentry's
 * second span protocol, of any number. Never as both, for Sentry would count and show each span twice.
 */
export type EnvelopeFormat = "transaction" | "stream"

/** `auto`: a transaction where it has room for all children, else a stream. */
export const ENVELOPE_FORMATS = ["auto", "transaction", "stream"] as const
export type EnvelopeFormatSetting = (typeof ENVELOPE_FORMATS)[number]

/** Traces whose form is remembered; the oldest is forgotten past this many. */
const REMEMBERED_TRACES = 1_000

/** Which form each trace has, from its first root to its last, so that nothing is ever told in both. */
export class TraceFormats {
  readonly #setting: EnvelopeFormatSetting
  readonly #known = new Map<string, EnvelopeFormat>()

  constructor(setting: EnvelopeFormatSetting) {
    this.#setting = setting
  }

  of(traceId: string, children: number): EnvelopeFormat {
    if (this.#setting !== "auto") return this.#setting
    const form = this.#known.get(traceId) ?? (children > TRANSACTION_SPAN_LIMIT ? "stream" : "transaction")
    this.settle(traceId, form)
    return form
  }

  settle(traceId: string, form: EnvelopeFormat): void {
    const [oldest] = this.#known.keys()
    if (this.#known.size >= REMEMBERED_TRACES && oldest !== undefined) this.#known.delete(oldest)
    this.#known.set(traceId, form)
  }
}
