import type { Client, TransactionEvent } from "@sentry/core"
import { TRANSACTION_SPAN_LIMIT } from "../model/limits.ts"
import type { SpanSetting } from "../model/span-form.ts"
import { lateVital } from "./late-vital.ts"
import { isVital } from "./measurements.ts"
import type { SamplingContext } from "./sampling-context.ts"
import { sendSpanStream } from "./span-stream.ts"
import { TraceForms } from "./trace-forms.ts"
import type { ChildSpan, Transaction } from "./transaction.ts"

interface SenderOptions {
  readonly client: Client
  readonly setting: SpanSetting
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

  constructor(options: SenderOptions) {
    this.#options = options
    this.#forms = new TraceForms(options.setting)
  }

  send(transaction: Transaction, samplingContext: SamplingContext): void {
    const { contexts, spans } = transaction.payload
    if (isVital(transaction.root)) this.#sendVital(transaction, samplingContext)
    else if (this.#forms.of(contexts.trace.trace_id, spans.length) === "transaction")
      this.#capture(transaction, samplingContext)
    else sendSpanStream(this.#options.client, transaction, samplingContext)
  }

  #sendVital({ root, payload }: Transaction, samplingContext: SamplingContext): void {
    const vital = lateVital(payload)
    if (vital !== undefined) sendSpanStream(this.#options.client, { root, payload: vital }, samplingContext)
  }

  #capture(transaction: Transaction, samplingContext: SamplingContext): void {
    const { payload, root } = transaction
    const spans = firstStarted(payload.spans)
    const cut = payload.spans.length - spans.length
    if (cut > 0) this.#options.lost(cut, root.name)
    const event = { ...payload, spans, sdkProcessingMetadata: { dynamicSamplingContext: samplingContext } }
    // The client's types are narrower than what Sentry takes: its `origin` is a template type, its `data` has no nulls.
    this.#options.client.captureEvent(event as unknown as TransactionEvent)
  }
}

/** The children that a transaction may have, in the order in which they started. */
function firstStarted(children: readonly ChildSpan[]): ChildSpan[] {
  return children.toSorted((a, b) => a.start_timestamp - b.start_timestamp).slice(0, TRANSACTION_SPAN_LIMIT)
}
