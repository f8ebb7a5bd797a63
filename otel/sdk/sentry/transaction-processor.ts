import type { SpanContext } from "@opentelemetry/api"
import type { ReadableSpan, SpanProcessor } from "@opentelemetry/sdk-trace-base"
import { emitTransaction, type TransactionSink } from "./emit-transaction.ts"
import { isLocalRoot, type OpenRoot, OpenRoots } from "./open-roots.ts"
import type { OwnRoot } from "./sampling-context.ts"
import { isSampled } from "./sampling.ts"

/** What the processor needs of the side that it runs on. */
export interface TransactionOutput extends TransactionSink {
  /** How long after its root has ended a child may still end and be part of the transaction, in milliseconds. */
  readonly graceMs: number
  /** Finished children that may wait for their roots, over all roots. */
  readonly spanLimit: number
}

/**
 * The server's side of the bridge: a finished root and its children become one Sentry transaction; in which form it is
 * sent is up to `TransactionSender`. (A page's is `PageBridge`.)
 * A span that ends after its root was handed on becomes a transaction of its own under its own ids. Nothing here
 * throws into the tracer; what is not forwarded is counted by reason.
 */
export class TransactionProcessor implements SpanProcessor {
  readonly #outlet: TransactionOutput
  readonly #open: OpenRoots
  /** Roots that wait for late children, as they ended. */
  readonly #graces = new Map<OpenRoot, { readonly root: ReadableSpan; readonly timer: ReturnType<typeof setTimeout> }>()
  /** Contexts of roots that were given up and counted, should they end after all. As weak as their spans. */
  readonly #givenUp = new WeakSet<SpanContext>()

  constructor(outlet: TransactionOutput) {
    this.#outlet = outlet
    this.#open = new OpenRoots((open) => this.#giveUp(open), outlet.spanLimit)
  }

  onStart(span: ReadableSpan): void {
    if (isSampled(span)) this.#open.start(span)
  }

  onEnd(span: ReadableSpan): void {
    if (!isSampled(span)) return this.#countSampledOut(span)
    if (this.#givenUp.has(span.spanContext())) return
    if (this.#open.hasRefused(span)) return this.#outlet.lost("limit_spans", "span", 1, span.name)
    const open = this.#open.of(span.spanContext().spanId)
    if (open === undefined) return emitTransaction(this.#outlet, span, [], 0)
    if (!isLocalRoot(span)) return this.#open.keep(open, span)
    if (this.#graces.has(open)) return
    if (this.#outlet.graceMs === 0) return this.#handOn(open, span)
    const timer = setTimeout(() => this.#handOn(open, span), this.#outlet.graceMs)
    // A process with nothing else to do must be able to end; `forceFlush` hands on what is waiting.
    if (typeof timer === "object") timer.unref()
    this.#graces.set(open, { root: span, timer })
  }

  /** The open root that a span belongs to, and the route that it is about to be named by. */
  rootOf(span: ReadableSpan): OwnRoot | undefined {
    return this.#open.of(span.spanContext().spanId)
  }

  /** Hands on every root that has ended, without waiting for late children. */
  async forceFlush(): Promise<void> {
    for (const [open, { root }] of this.#graces) this.#handOn(open, root)
  }

  async shutdown(): Promise<void> {
    await this.forceFlush()
    for (const open of this.#open.all()) {
      this.#open.close(open)
      this.#giveUp(open)
    }
  }

  /** A root that has ended and waits for late children is complete enough; one that has not is lost. */
  #giveUp(open: OpenRoot): void {
    const ended = this.#graces.get(open)
    if (ended !== undefined) return this.#handOn(open, ended.root)
    this.#givenUp.add(open.root.spanContext())
    this.#outlet.lost("expired", "transaction", 1, open.root.name)
    this.#outlet.lost("expired", "span", open.ended.length + open.cut + 1, open.root.name)
  }

  #countSampledOut(span: ReadableSpan): void {
    if (isLocalRoot(span)) this.#outlet.lost("sample_rate", "transaction", 1, span.name)
    this.#outlet.lost("sample_rate", "span", 1, span.name)
  }

  #handOn(open: OpenRoot, root: ReadableSpan): void {
    clearTimeout(this.#graces.get(open)?.timer)
    this.#graces.delete(open)
    this.#open.close(open)
    emitTransaction(this.#outlet, root, open.ended, open.cut)
  }
}
