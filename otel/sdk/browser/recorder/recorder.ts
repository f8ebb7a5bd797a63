import {
  type Context,
  context,
  INVALID_SPAN_CONTEXT,
  isSpanContextValid,
  type Span,
  type SpanContext,
  type SpanOptions,
  trace,
  type Tracer,
  type TracerOptions,
  type TracerProvider,
} from "@opentelemetry/api"
import { isTracingSuppressed } from "@opentelemetry/core"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { RandomIdGenerator } from "@opentelemetry/sdk-trace-web"
import { RecordedSpan } from "./recorded-span.ts"

/** Hears of each span that starts and ends: the part of OpenTelemetry's `SpanProcessor` that a page uses. */
export interface SpanListener {
  onStart(span: Span & ReadableSpan): void
  onEnd(span: Span & ReadableSpan): void
}

export interface RecorderOptions {
  /** What every span says about the page. */
  readonly resource: ReadableSpan["resource"]
  readonly listeners: readonly SpanListener[]
  /** Whether a new span is sampled. @param parent of any validity. */
  isSampled(parent: SpanContext | undefined, traceId: string): boolean
}

/**
 * The page's tracer provider before OpenTelemetry's SDK is loaded, and in its place where it never is: it records spans as the
 * SDK does, and gives them to the same listeners. With `successor` new spans are the SDK's. Those that have begun remain as
 * they are: their ids, times and parents do not change, and they end where they began.
 */
export class Recorder implements TracerProvider {
  /** OpenTelemetry's SDK, once it is loaded. */
  successor: TracerProvider | undefined
  readonly options: RecorderOptions
  readonly ids = new RandomIdGenerator()

  constructor(options: RecorderOptions) {
    this.options = options
  }

  getTracer(name: string, version?: string, options?: TracerOptions): Tracer {
    return new RecordingTracer(this, name, version, options)
  }
}

class RecordingTracer implements Tracer {
  readonly #recorder: Recorder
  readonly #scope: Parameters<TracerProvider["getTracer"]>
  #successor: Tracer | undefined

  constructor(recorder: Recorder, ...scope: Parameters<TracerProvider["getTracer"]>) {
    this.#recorder = recorder
    this.#scope = scope
  }

  startSpan(name: string, options: SpanOptions = {}, parent = context.active()): Span {
    this.#successor ??= this.#recorder.successor?.getTracer(...this.#scope)
    return this.#successor?.startSpan(name, options, parent) ?? this.#record(name, options, parent)
  }

  startActiveSpan: Tracer["startActiveSpan"] = (name: string, ...args: unknown[]) => {
    const work = args.pop() as ((span: Span) => never) | undefined
    if (work === undefined) return undefined as never
    const [options, given] = args as [SpanOptions?, Context?]
    const parent = given ?? context.active()
    const span = this.startSpan(name, options, parent)
    return context.with(trace.setSpan(parent, span), work, undefined, span)
  }

  #record(name: string, { root, ...options }: SpanOptions, given: Context): Span {
    const { ids, options: recording } = this.#recorder
    const { listeners, resource, isSampled } = recording
    const around = root ? trace.deleteSpan(given) : given
    if (isTracingSuppressed(around)) return trace.wrapSpanContext(INVALID_SPAN_CONTEXT)
    const caller = trace.getSpanContext(around)
    const parent = caller && isSpanContextValid(caller) ? caller : undefined
    const spanId = ids.generateSpanId()
    const traceId = parent?.traceId ?? ids.generateTraceId()
    const traceFlags = Number(isSampled(caller, traceId))
    const [scope, version, { schemaUrl } = {}] = this.#scope
    const span = new RecordedSpan(name, options, {
      context: { traceId, spanId, traceFlags, ...(parent?.traceState && { traceState: parent.traceState }) },
      parent,
      resource,
      scope: { name: scope, ...(version && { version }), ...(schemaUrl && { schemaUrl }) },
      onEnd: (ended) => listeners.forEach((each) => each.onEnd(ended)),
    })
    for (const each of listeners) each.onStart(span)
    return span
  }
}
