import {
  type Attributes,
  type Context,
  createContextKey,
  createTraceState,
  type Span,
  type SpanContext,
  type SpanKind,
  trace,
  type TraceState,
} from "@opentelemetry/api"
import {
  type ReadableSpan,
  type Sampler,
  SamplingDecision,
  type SamplingResult,
  type SpanProcessor,
} from "@opentelemetry/sdk-trace-base"
import { sampleRate, type Sampling } from "../config.ts"
import { isLocalRoot } from "../sentry/span-facts.ts"
import { isSampled, shouldSample } from "../sentry/sampling.ts"
import { countDrop } from "./drops/count-drop.ts"
import { localInspector } from "./local-inspector.ts"
import { isSampledOut, UNSAMPLED_KEY } from "./trace-state.ts"

/** Set on a context whose remote parent defers the decision, which `sentry-trace` can express and `traceparent` cannot. */
const DEFERRED = createContextKey("pagespan.sampling-deferred")

export function withDeferredSampling(context: Context): Context {
  return context.setValue(DEFERRED, true)
}

/** Whether the sampler adopts the decision of a caller. */
export function isParentBased({ OTEL_TRACES_SAMPLER: name }: Pick<Sampling, "OTEL_TRACES_SAMPLER">): boolean {
  return name.startsWith("parentbased_")
}

const UNSAMPLED_STATE = createTraceState().set(UNSAMPLED_KEY, "1")

interface TraceSamplerOptions {
  /** Called for each transaction and span that nobody takes. */
  readonly sampledOut?: (category: "transaction" | "span") => void
  /** Whether to record a span in an unsampled trace, because it carries something that is not sampled, like an error. */
  readonly isNeeded?: (attributes: Attributes) => boolean
}

/**
 * Decides once for each trace whether Sentry and collectors get it: by its id, so that a page and its server agree without
 * communicating and no caller can force a decision. Only a `parentbased_` sampler adopts the decision of a caller. An unsampled
 * trace is recorded only for an inspector in this process; otherwise its spans carry ids and nothing else.
 *
 * @see https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/#general-sdk-configuration
 */
export class TraceSampler implements Sampler {
  readonly #rate: number
  readonly #isParentBased: boolean
  readonly #options: TraceSamplerOptions

  constructor(sampling: Sampling, options: TraceSamplerOptions = {}) {
    this.#rate = sampleRate(sampling)
    this.#isParentBased = isParentBased(sampling)
    this.#options = options
  }

  shouldSample(
    context: Context,
    traceId: string,
    _name?: string,
    _kind?: SpanKind,
    attributes: Attributes = {},
  ): SamplingResult {
    const parent = trace.getSpanContext(context)
    const isSampled = this.#decided(context, parent) ?? shouldSample(traceId, this.#rate)
    if (!isSampled) return this.#unsampled(parent, attributes)
    return withState(SamplingDecision.RECORD_AND_SAMPLED, parent?.traceState)
  }

  /** The decision of the parent: one in this process always decides, a remote one if the sampler is parent-based. */
  #decided(context: Context, parent: SpanContext | undefined): boolean | undefined {
    if (parent === undefined) return undefined
    const isBinding = parent.isRemote !== true || (this.#isParentBased && context.getValue(DEFERRED) !== true)
    return isBinding ? (parent.traceFlags & 1) === 1 : undefined
  }

  #unsampled(parent: SpanContext | undefined, attributes: Attributes): SamplingResult {
    const { sampledOut, isNeeded } = this.#options
    const isContinued = parent !== undefined && isSampledOut(parent)
    const isTaken = isContinued ? isNeeded?.(attributes) === true : localInspector() !== undefined
    if (isTaken) return withState(SamplingDecision.RECORD, parent?.traceState)
    if (parent === undefined || parent.isRemote === true) sampledOut?.("transaction")
    sampledOut?.("span")
    const state = isContinued ? parent.traceState : parent?.traceState?.set(UNSAMPLED_KEY, "1")
    return withState(SamplingDecision.NOT_RECORD, state ?? UNSAMPLED_STATE)
  }

  /** Whether a span below one that is not sampled needs no ids of its own. Counts it if so. */
  skips(parent: Span, attributes: Attributes | undefined): boolean {
    const { sampledOut, isNeeded } = this.#options
    if (parent.isRecording() || !isSampledOut(parent.spanContext())) return false
    if (attributes !== undefined && isNeeded?.(attributes) === true) return false
    sampledOut?.("span")
    return true
  }

  toString(): string {
    return `TraceSampler{${this.#isParentBased ? "parent, else " : ""}${this.#rate}}`
  }
}

/** Without a trace state in the result, the span would not inherit its parent's, which other vendors rely on. */
function withState(decision: SamplingDecision, traceState: TraceState | undefined): SamplingResult {
  return traceState === undefined ? { decision } : { decision, traceState }
}

/** Counts recorded unsampled spans if there is no bridge to Sentry, which counts them otherwise. */
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
