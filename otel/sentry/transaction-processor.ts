import type { SpanContext } from "@opentelemetry/api"
import type { ReadableSpan, SpanProcessor } from "@opentelemetry/sdk-trace-base"
import type { Filters, TransactionFacts } from "../model/filters.ts"
import type { LossCategory, LossReason } from "../model/loss.ts"
import { isLocalRoot } from "./local-root.ts"
import { type OpenRoot, OpenRoots } from "./open-roots.ts"
import type { OwnRoot } from "./sampling-context.ts"
import { isSampled } from "./sampling.ts"
import { httpStatusCode } from "./http-status-code.ts"
import type { SpanWords } from "./span-words.ts"
import type { TransactionRequest } from "./transaction-request.ts"
import { assembleTransaction, type Transaction } from "./transaction.ts"

/** What the processor needs of the side that it runs on. */
export interface TransactionOutlet {
  readonly side: "page" | "server"
  /** How long after its root has ended a child may still end and be part of the transaction, in milliseconds. */
  readonly graceMs: number
  /** Finished children that may wait for their roots, over all roots. */
  readonly spanLimit: number
  filters(): Filters
  deliver(transaction: Transaction): void
  lost(reason: LossReason, category: LossCategory, count: number, sample: string): void
  newEventId(): string
  readonly words: SpanWords
  /** The request that a root answered, on the side that answers requests. */
  requestOf?(root: ReadableSpan): TransactionRequest | undefined
}

/**
 * The bridge: a finished root and its children become one Sentry transaction, in a page and in a server alike; in which
 * form it is sent is up to `TransactionSender`.
 * A span that ends after its root was handed on becomes a transaction of its own under its own ids. Nothing here
 * throws into the tracer; what is not forwarded is counted by reason.
 */
export class TransactionProcessor implements SpanProcessor {
  readonly #outlet: TransactionOutlet
  readonly #open: OpenRoots
  /** Roots that wait for late children, as they ended. */
  readonly #graces = new Map<OpenRoot, { readonly root: ReadableSpan; readonly timer: ReturnType<typeof setTimeout> }>()
  /** Contexts of roots that were given up and counted, should they end after all. As weak as their spans. */
  readonly #givenUp = new WeakSet<SpanContext>()

  constructor(outlet: TransactionOutlet) {
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
    if (open === undefined) return this.#forward(span, [], 0)
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
    this.#forward(root, open.ended, open.cut)
  }

  /** @param cut children that there was no room for. */
  #forward(root: ReadableSpan, children: readonly ReadableSpan[], cut: number): void {
    const facts = this.#facts(root)
    const filter = this.#outlet.filters().transactions.find((candidate) => candidate.drops(facts))
    if (filter !== undefined) {
      const spans = children.length + cut + 1
      this.#outlet.lost(filter.reason, "transaction", 1, `${filter.name}: ${root.name}`)
      this.#outlet.lost(filter.reason, "span", spans, `${filter.name}: ${root.name}`)
      return
    }
    const transaction = assembleTransaction(root, children, {
      platform: this.#outlet.side === "page" ? "javascript" : "node",
      eventId: this.#outlet.newEventId(),
      words: this.#outlet.words,
      request: this.#outlet.requestOf?.(root),
    })
    if (cut > 0) this.#outlet.lost("limit_spans", "span", cut, root.name)
    this.#outlet.deliver(transaction)
  }

  #facts(root: ReadableSpan): TransactionFacts {
    const route = root.attributes["http.route"]
    return {
      side: this.#outlet.side,
      name: root.name,
      route: typeof route === "string" ? route : undefined,
      statusCode: httpStatusCode(root.attributes),
    }
  }
}
