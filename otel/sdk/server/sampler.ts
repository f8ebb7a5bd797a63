import { type Context, createContextKey, type SpanContext, trace } from "@opentelemetry/api"
import {
  type ReadableSpan,
  type Sampler,
  SamplingDecision,
  type SamplingResult,
  type SpanProcessor,
} from "@opentelemetry/sdk-trace-base"
import type { SdkConfig } from "../config.ts"
import { isLocalRoot } from "../sentry/span-facts.ts"
import { isSampled, shouldSample } from "../sentry/sampling.ts"
import { countDrop } from "./drops.ts"

type Sampling = Pick<SdkConfig, "OTEL_TRACES_SAMPLER" | "OTEL_TRACES_SAMPLER_ARG">

/** Set on a context whose remote parent defers the decision, which `sentry-trace` can express and `traceparent` cannot. */
const DEFERRED = createContextKey("pagespan.sampling-deferred")

export function withDeferredSampling(context: Context): Context {
  return context.setValue(DEFERRED, true)
}

/** Share of the traces started here that are sampled, 0 to 1. */
export function sampleRate({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }: Sampling): number {
  if (name.endsWith("traceidratio")) return ratio
  return name.endsWith("always_on") ? 1 : 0
}

/**
 * Decides once for each trace, by its id, whether Sentry and collectors get it. An unsampled trace is recorded too: the
 * inspector in this process shows it, its drops are counted, and its errors are linked to it.
 *
 * @see https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/#general-sdk-configuration
 */
export class TraceSampler implements Sampler {
  readonly #rate: number
  readonly #isParentBased: boolean

  constructor(sampling: Sampling) {
    this.#rate = sampleRate(sampling)
    this.#isParentBased = sampling.OTEL_TRACES_SAMPLER.startsWith("parentbased_")
  }

  shouldSample(context: Context, traceId: string): SamplingResult {
    const parent = trace.getSpanContext(context)
    const isSampled = this.#decided(context, parent) ?? shouldSample(traceId, this.#rate)
    const decision = isSampled ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.RECORD
    // Without a trace state in the result, the span would not inherit its parent's, which other vendors rely on.
    return parent?.traceState === undefined ? { decision } : { decision, traceState: parent.traceState }
  }

  /** The decision of the parent: one in this process always decides, a remote one if the sampler is parent-based. */
  #decided(context: Context, parent: SpanContext | undefined): boolean | undefined {
    if (parent === undefined) return undefined
    const isBinding = parent.isRemote !== true || (this.#isParentBased && context.getValue(DEFERRED) !== true)
    return isBinding ? (parent.traceFlags & 1) === 1 : undefined
  }

  toString(): string {
    return `TraceSampler{${this.#isParentBased ? "parent, else " : ""}${this.#rate}}`
  }
}

/** Counts unsampled spans if there is no bridge to Sentry, which counts them otherwise. */
export class SampledOutSpans implements SpanProcessor {
  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if (isSampled(span)) return
    if (isLocalRoot(span)) countDrop("server", "sample_rate", "transaction", 1, span.name)
    countDrop("server", "sample_rate", "span", 1, span.name)
  }

  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {}
}
