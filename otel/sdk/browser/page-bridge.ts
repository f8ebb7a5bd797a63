import type { ReadableSpan } from "@opentelemetry/sdk-trace-web"
import { PAGE_QUEUE_SPAN_LIMIT } from "../../protocol/limits.ts"
import { emitTransaction, type TransactionSink } from "../sentry/emit-transaction.ts"
import { isLocalRoot } from "../sentry/span-facts.ts"
import type { SpanListener } from "./recorder/recorder.ts"

/** Open roots, at most: those of the page and those that the app begins itself. The bound also covers roots that never end. */
const OPEN_ROOT_LIMIT = 64

interface OpenRoot {
  readonly root: ReadableSpan
  readonly ended: ReadableSpan[]
  /** Children dropped because too many already wait. */
  cut: number
}

/**
 * The page's side of the bridge to Sentry: emits a finished root and its children as one transaction. Each root of a page has
 * its own trace, so the trace id alone identifies the root of a span, and a span needs no work before it ends. A child that
 * ends after its root is emitted by itself.
 */
export class PageBridge implements SpanListener {
  readonly #sink: TransactionSink
  readonly #open = new Map<string, OpenRoot>()

  constructor(sink: TransactionSink) {
    this.#sink = sink
  }

  onStart(span: ReadableSpan): void {
    const { traceId } = span.spanContext()
    // A second root in the same trace is treated as a child of the first.
    if (!isLocalRoot(span) || this.#open.has(traceId)) return
    const [oldest] = this.#open.values()
    if (oldest !== undefined && this.#open.size >= OPEN_ROOT_LIMIT) this.#giveUp(oldest)
    this.#open.set(traceId, { root: span, ended: [], cut: 0 })
  }

  onEnd(span: ReadableSpan): void {
    const { traceId } = span.spanContext()
    const open = this.#open.get(traceId)
    if (open === undefined) emitTransaction(this.#sink, span, [], 0)
    else if (open.root === span) {
      this.#open.delete(traceId)
      emitTransaction(this.#sink, span, open.ended, open.cut)
    } else if (open.ended.length < PAGE_QUEUE_SPAN_LIMIT) open.ended.push(span)
    else open.cut++
  }

  /** Stops waiting for a root: its children are emitted by themselves, and so is the root if it ends later. */
  #giveUp({ root, ended, cut }: OpenRoot): void {
    this.#open.delete(root.spanContext().traceId)
    for (const span of ended) emitTransaction(this.#sink, span, [], 0)
    if (cut > 0) this.#sink.drop("limit_spans", "span", cut, root.name)
  }
}
