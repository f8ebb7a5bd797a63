import type { ReadableSpan, SpanProcessor } from "@opentelemetry/sdk-trace-web"
import { PAGE_QUEUE_SPAN_LIMIT } from "../../protocol/limits.ts"
import { emitTransaction, type TransactionSink } from "../sentry/emit-transaction.ts"
import { isLocalRoot } from "../sentry/open-roots.ts"

/** Roots open at once: the page's own and those that the app begins by itself. One that never ends must not stay for ever. */
const OPEN_ROOT_LIMIT = 64

interface OpenRoot {
  readonly root: ReadableSpan
  readonly ended: ReadableSpan[]
  /** Children that ended and were left out, because too many wait already. */
  cut: number
}

/**
 * A page's side of the bridge: a finished root and its children are handed on as one. Each root of a page has a trace of
 * its own, so that the trace tells which root a span belongs to, and nothing needs to be known of a span before it ends.
 * What ends after its root is handed on by itself.
 */
export class PageBridge implements SpanProcessor {
  readonly #outlet: TransactionSink
  readonly #open = new Map<string, OpenRoot>()

  constructor(outlet: TransactionSink) {
    this.#outlet = outlet
  }

  onStart(span: ReadableSpan): void {
    const { traceId } = span.spanContext()
    // A second root in the same trace goes with the first, as if it were its child.
    if (!isLocalRoot(span) || this.#open.has(traceId)) return
    const [oldest] = this.#open.values()
    if (oldest !== undefined && this.#open.size >= OPEN_ROOT_LIMIT) this.#giveUp(oldest)
    this.#open.set(traceId, { root: span, ended: [], cut: 0 })
  }

  onEnd(span: ReadableSpan): void {
    const { traceId } = span.spanContext()
    const open = this.#open.get(traceId)
    if (open === undefined) emitTransaction(this.#outlet, span, [], 0)
    else if (open.root === span) {
      this.#open.delete(traceId)
      emitTransaction(this.#outlet, span, open.ended, open.cut)
    } else if (open.ended.length < PAGE_QUEUE_SPAN_LIMIT) open.ended.push(span)
    else open.cut++
  }

  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {
    for (const open of this.#open.values()) this.#giveUp(open)
  }

  /** Nobody waits for the root any longer: its children go by themselves, and so will it, should it end. */
  #giveUp({ root, ended, cut }: OpenRoot): void {
    this.#open.delete(root.spanContext().traceId)
    for (const span of ended) emitTransaction(this.#outlet, span, [], 0)
    if (cut > 0) this.#outlet.lost("limit_spans", "span", cut, root.name)
  }
}
