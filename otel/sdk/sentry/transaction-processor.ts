import { context, type SpanContext } from "@opentelemetry/api"
import type { ReadableSpan, SpanProcessor } from "@opentelemetry/sdk-trace-base"
import { emitTransaction, type TransactionSink } from "./emit-transaction.ts"
import { type OpenRoot, OpenRoots } from "./open-roots.ts"
import { isLocalRoot } from "./span-facts.ts"
import type { OwnRoot } from "./sampling-context.ts"
import { isSampled } from "./sampling.ts"

/** A sink with the limits of a server. */
export interface TransactionOutput extends TransactionSink {
  /** Milliseconds for which an ended root waits for children that have not ended. 0: it does not wait. */
  readonly graceMs: number
  /** Most finished children that wait for their roots, over all roots. */
  readonly spanLimit: number
}

/**
 * The server's side of the bridge: turns a finished root and its children into one Sentry transaction. `TransactionSender`
 * selects the envelope format. (A page's side is `PageBridge`.) A span that ends after its root was emitted becomes a
 * transaction of its own, under its own ids. Nothing here throws into the tracer, and every drop is counted by reason.
 */
export class TransactionProcessor implements SpanProcessor {
  readonly #sink: TransactionOutput
  readonly #open: OpenRoots
  /** Ended roots that wait for late children. */
  readonly #waiting = new Map<OpenRoot, { readonly emit: () => void; readonly timer: ReturnType<typeof setTimeout> }>()
  /** Contexts of expired roots, whose drop is counted already. */
  readonly #expired = new WeakSet<SpanContext>()

  constructor(sink: TransactionOutput) {
    this.#sink = sink
    this.#open = new OpenRoots((open) => this.#expire(open), sink.spanLimit)
  }

  onStart(span: ReadableSpan): void {
    if (isSampled(span)) this.#open.start(span)
  }

  onEnd(span: ReadableSpan): void {
    if (!isSampled(span)) return this.#countSampledOut(span)
    if (this.#expired.has(span.spanContext())) return
    if (this.#open.hasRefused(span)) return this.#sink.drop("limit_spans", "span", 1, span.name)
    const open = this.#open.of(span.spanContext().spanId)
    if (open === undefined) return emitTransaction(this.#sink, span, [], 0)
    if (!isLocalRoot(span)) return this.#open.buffer(open, span)
    if (this.#waiting.has(open)) return
    if (this.#sink.graceMs === 0) return this.#emit(open, span)
    // In the context of its own request, whose Sentry scope it gets: another may cause it to be emitted.
    const emit = context.bind(context.active(), () => this.#emit(open, span))
    const timer = setTimeout(emit, this.#sink.graceMs)
    // The timer must not keep a process alive. `forceFlush` emits the waiting roots.
    if (typeof timer === "object") timer.unref()
    this.#waiting.set(open, { emit, timer })
  }

  /** The open root that a span belongs to, and the route from which it will get its name. */
  rootOf(span: Pick<ReadableSpan, "spanContext">): OwnRoot | undefined {
    return this.#open.of(span.spanContext().spanId)
  }

  /** Emits the root that a span belongs to if it has ended, without waiting for late children. */
  emitEnded(spanId: string): void {
    const open = this.#open.of(spanId)
    if (open !== undefined) this.#waiting.get(open)?.emit()
  }

  /** Emits every root that has ended, without waiting for late children. */
  async forceFlush(): Promise<void> {
    for (const { emit } of this.#waiting.values()) emit()
  }

  async shutdown(): Promise<void> {
    await this.forceFlush()
    for (const open of this.#open.all()) {
      this.#open.close(open)
      this.#expire(open)
    }
  }

  /** Emits a root that has ended and waits for late children; drops one that has not ended. */
  #expire(open: OpenRoot): void {
    const ended = this.#waiting.get(open)
    if (ended !== undefined) return ended.emit()
    this.#expired.add(open.root.spanContext())
    this.#sink.drop("expired", "transaction", 1, open.root.name)
    this.#sink.drop("expired", "span", open.ended.length + open.cut + 1, open.root.name)
  }

  #countSampledOut(span: ReadableSpan): void {
    if (isLocalRoot(span)) this.#sink.drop("sample_rate", "transaction", 1, span.name)
    this.#sink.drop("sample_rate", "span", 1, span.name)
  }

  #emit(open: OpenRoot, root: ReadableSpan): void {
    clearTimeout(this.#waiting.get(open)?.timer)
    this.#waiting.delete(open)
    this.#open.close(open)
    emitTransaction(this.#sink, root, open.ended, open.cut)
  }
}
