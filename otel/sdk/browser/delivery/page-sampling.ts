import { type Context, type SpanContext, trace } from "@opentelemetry/api"
import { type Sampler, SamplingDecision, type SamplingResult } from "@opentelemetry/sdk-trace-base"
import { PAGE_QUEUE_SPAN_LIMIT } from "../../../protocol/limits.ts"
import { shouldSample } from "../../sentry/sampling.ts"

/**
 * Whether a trace that begins in this page is sampled: by its id and the server's rate, so that Sentry, OTLP and every
 * service behind agree. A trace that goes on is as its caller decided. What is not sampled is recorded all the same, for
 * the page's roots are timed by it, and is counted where it would have left.
 *
 * A document that was made at build time learns the rate late. Until then its traces are undecided: recorded, held back,
 * and passed on with the decision left to whom they reach, who will decide alike. As many are remembered as spans can
 * wait; an older one counts as sampled.
 */
export class PageSampling implements Sampler {
  #rate: number | undefined
  readonly #undecided = new Set<string>()
  readonly #leftOut = new Set<string>()

  learn(rate: number): void {
    this.#rate = rate
    for (const traceId of this.#undecided) if (!shouldSample(traceId, rate)) this.#leftOut.add(traceId)
    this.#undecided.clear()
  }

  isUndecided({ traceId }: SpanContext): boolean {
    return this.#undecided.has(traceId)
  }

  /** Whether what was said of a trace at its begin still holds, so that its sampling context may be told. */
  isSettled({ traceId }: SpanContext): boolean {
    return !this.#undecided.has(traceId) && !this.#leftOut.has(traceId)
  }

  isSampled({ traceId, traceFlags }: SpanContext): boolean {
    return (traceFlags & 1) === 1 && !this.#leftOut.has(traceId)
  }

  shouldSample(context: Context, traceId: string): SamplingResult {
    const parent = trace.getSpanContext(context)
    const isSampled = parent === undefined ? this.#begins(traceId) : this.isSampled(parent)
    return { decision: isSampled ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.RECORD }
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
