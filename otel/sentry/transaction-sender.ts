import type { Client, TransactionEvent } from "@sentry/core"
import { TRANSACTION_SPAN_LIMIT } from "../model/limits.ts"
import type { SpanSetting } from "../model/span-form.ts"
import { LateSpans, sendLateSpans } from "./late-spans.ts"
import type { SamplingContext } from "./sampling-context.ts"
import { described } from "./span-description.ts"
import { TraceForms } from "./trace-forms.ts"
import type { ChildSpan, Transaction } from "./transaction.ts"
import { isLate, isVital } from "./vital.ts"

/** Sends finished roots, or late spans, of one trace as a stream of spans. */
export type SendStream = (client: Client, sent: readonly Transaction[], samplingContext: SamplingContext) => void

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
 * transaction has the children that started first; those that it has no room for are counted. Late spans of a page have
 * the form of their trace as well: streamed spans, or spans by themselves beside a transaction.
 */
export class TransactionSender {
  readonly #options: SenderOptions
  readonly #forms: TraceForms
  #stream: SendStream | undefined
  readonly #late = new LateSpans((spans, samplingContext) => this.#deliver(spans, samplingContext))
  /** What is to be streamed, as soon as what streams it is there. */
  #waiting: (readonly [readonly Transaction[], SamplingContext])[] = []

  constructor(options: SenderOptions) {
    this.#options = options
    this.#forms = new TraceForms(options.setting)
  }

  send(transaction: Transaction, samplingContext: SamplingContext): void {
    const late = isLate(transaction)
    if (!isVital(transaction.root))
      return late ? this.#late.add(transaction, samplingContext) : this.#deliver([transaction], samplingContext)
    // It may settle while the page is left. One that its root has told already is not sent again.
    if (late) sendLateSpans(this.#options.client, [transaction], samplingContext)
  }

  /** What still waits goes now, and as transactions where it was to be streamed: the page is left, or what streams cannot be had. */
  settle(): void {
    this.#late.flush()
    for (const [sent, samplingContext] of this.#waiting.splice(0)) {
      for (const { payload } of sent) this.#forms.settle(payload.contexts.trace.trace_id, "transaction")
      this.#capture(sent, samplingContext)
    }
  }

  /** @param sent a root, or late spans of one trace. */
  #deliver(sent: readonly Transaction[], samplingContext: SamplingContext): void {
    const [first] = sent
    if (first === undefined) return
    const { contexts, spans } = first.payload
    if (this.#forms.of(contexts.trace.trace_id, spans.length) === "transaction")
      return this.#capture(sent, samplingContext)
    this.#waiting.push([sent, samplingContext])
    if (this.#stream !== undefined) return this.#sendWaiting(this.#stream)
    const stream = this.#options.stream()
    if (typeof stream === "function") return this.#sendWaiting(stream)
    stream.then(
      (loaded) => this.#sendWaiting(loaded),
      () => this.settle(),
    )
  }

  #sendWaiting(stream: SendStream): void {
    this.#stream = stream
    for (const [sent, samplingContext] of this.#waiting.splice(0)) stream(this.#options.client, sent, samplingContext)
  }

  #capture(sent: readonly Transaction[], samplingContext: SamplingContext): void {
    const late = sent.filter(isLate)
    if (late.length > 0) sendLateSpans(this.#options.client, late, samplingContext)
    else for (const transaction of sent) this.#captureRoot(transaction, samplingContext)
  }

  #captureRoot({ payload, root }: Transaction, samplingContext: SamplingContext): void {
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
