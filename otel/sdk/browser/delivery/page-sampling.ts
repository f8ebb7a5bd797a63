import type { SpanContext } from "@opentelemetry/api"
import { PAGE_QUEUE_SPAN_LIMIT } from "../../../protocol/limits.ts"
import { shouldSample } from "../../sentry/sampling.ts"

/**
 * Samples a trace that begins in this page by its id and the server's rate, so that Sentry, OTLP and every service behind
 * agree. A trace that continues keeps its caller's decision. Spans that are not sampled are recorded too, because they time
 * the page's roots, and are counted where they would be sent.
 *
 * A document rendered at build time learns the rate late. Until then its traces are undecided: they are recorded and wait,
 * and requests propagate them without a decision, which the receiver makes from the same id. As many undecided traces are
 * remembered as spans can wait; an older one counts as sampled.
 */
export class PageSampling {
  #rate: number | undefined
  readonly #undecided = new Set<string>()
  readonly #unsampled = new Set<string>()

  learn(rate: number): void {
    this.#rate = rate
    for (const traceId of this.#undecided) if (!shouldSample(traceId, rate)) this.#unsampled.add(traceId)
    this.#undecided.clear()
  }

  isUndecided({ traceId }: SpanContext): boolean {
    return this.#undecided.has(traceId)
  }

  /** Whether the decision made when the trace began still holds, so that its sampling context may be sent. */
  isSettled({ traceId }: SpanContext): boolean {
    return !this.#undecided.has(traceId) && !this.#unsampled.has(traceId)
  }

  isSampled({ traceId, traceFlags }: SpanContext): boolean {
    return (traceFlags & 1) === 1 && !this.#unsampled.has(traceId)
  }

  /**
   * Decides for a new span.
   *
   * @param parent whose trace it continues. With an invalid parent the span begins a trace, which has another id.
   */
  decide(parent: SpanContext | undefined, traceId: string): boolean {
    return parent?.traceId === traceId ? this.isSampled(parent) : this.#begins(traceId)
  }

  #begins(traceId: string): boolean {
    if (this.#rate !== undefined) return shouldSample(traceId, this.#rate)
    this.#undecided.add(traceId)
    for (const oldest of this.#undecided) {
      if (this.#undecided.size <= PAGE_QUEUE_SPAN_LIMIT) break
      this.#undecided.delete(oldest)
    }
    return true
  }
}
