import type { Client, TransactionEvent } from "@sentry/core"
import { TRANSACTION_SPAN_LIMIT } from "../model/limits.ts"
import type { SpanSetting } from "../model/span-form.ts"
import { sendLateVital } from "./late-vital.ts"
import type { SamplingContext } from "./sampling-context.ts"
import { described } from "./span-description.ts"
import { TraceForms } from "./trace-forms.ts"
import type { ChildSpan, Transaction } from "./transaction.ts"
import { isVital } from "./vital.ts"

/** Sends a finished root as a stream of spans. */
export type SendStream = (client: Client, transaction: Transaction, samplingContext: SamplingContext) => void

interface SenderOptions {
  readonly client: Client
  readonly setting: SpanSetting
  /** A function, or a promise of one: in a page it is a chunk of its own. */
  stream(): SendStream | Promise<SendStream>
  /** Children that a transaction had no room for. */
  lost(count: number, sample: string): void
}

/**
 * Sends finished roots through the Sentry client's own pipeline and transport, each in the form that its trace has. A
 * transaction has the children that started first; those that it has no room for are counted.
 */
export class TransactionSender {
  readonly #options: SenderOptions
  readonly #forms: TraceForms
  #stream: SendStream | undefined
  /** Roots to be streamed, as soon as what streams them is there. */
  #waiting: (readonly [Transaction, SamplingContext])[] = []

  constructor(options: SenderOptions) {
    this.#options = options
    this.#forms = new TraceForms(options.setting)
  }

  send(transaction: Transaction, samplingContext: SamplingContext): void {
    const { contexts, spans } = transaction.payload
    if (isVital(transaction.root)) return sendLateVital(this.#options.client, transaction.payload, samplingContext)
    if (this.#forms.of(contexts.trace.trace_id, spans.length) === "transaction")
      return this.#capture(transaction, samplingContext)
    this.#waiting.push([transaction, samplingContext])
    if (this.#stream !== undefined) return this.#sendWaiting(this.#stream)
    const stream = this.#options.stream()
    if (typeof stream === "function") return this.#sendWaiting(stream)
    stream.then(
      (loaded) => this.#sendWaiting(loaded),
      () => this.settle(),
    )
  }

  /** What still waits to be streamed goes as transactions: the page is left, or what streams cannot be had. */
  settle(): void {
    for (const [transaction, samplingContext] of this.#waiting.splice(0)) {
      this.#forms.settle(transaction.payload.contexts.trace.trace_id, "transaction")
      this.#capture(transaction, samplingContext)
    }
  }

  #sendWaiting(stream: SendStream): void {
    this.#stream = stream
    for (const [transaction, samplingContext] of this.#waiting.splice(0))
      stream(this.#options.client, transaction, samplingContext)
  }

  #capture(transaction: Transaction, samplingContext: SamplingContext): void {
    const { payload, root } = transaction
    const spans = firstStarted(payload.spans)
    const cut = payload.spans.length - spans.length
    if (cut > 0) this.#options.lost(cut, root.name)
    const event = {
      ...payload,
      spans: spans.map(described),
      sdkProcessingMetadata: { dynamicSamplingContext: samplingContext },
    }
    // The client's types are narrower than what Sentry takes: its `origin` is a template type, its `data` has no nulls.
    this.#options.client.captureEvent(event as unknown as TransactionEvent)
  }
}

/** The children that a transaction may have, in the order in which they started. */
function firstStarted(children: readonly ChildSpan[]): ChildSpan[] {
  return children.toSorted((a, b) => a.start_timestamp - b.start_timestamp).slice(0, TRANSACTION_SPAN_LIMIT)
}
