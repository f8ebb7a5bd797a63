import type { Context, Span, SpanContext, SpanOptions, Tracer, TracerOptions, TracerProvider } from "@opentelemetry/api"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { activeContext, isSuppressed, spanContextOf, withoutSpan, withSpan } from "../api/contexts.ts"
import { registrations } from "../api/registrations.ts"
import { newSpanId, newTraceId } from "./ids.ts"
import { RecordedSpan } from "./recorded-span.ts"

/** The context of a span that is not traced, as OpenTelemetry's API has it. */
const INVALID: SpanContext = { traceId: "0".repeat(32), spanId: "0".repeat(16), traceFlags: 0 }

/** Gets each span when it starts and when it ends: the part of OpenTelemetry's `SpanProcessor` that a page uses. */
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

  startSpan(name: string, options: SpanOptions = {}, parent = activeContext()): Span {
    this.#successor ??= this.#recorder.successor?.getTracer(...this.#scope)
    return this.#successor?.startSpan(name, options, parent) ?? this.#record(name, options, parent)
  }

  startActiveSpan: Tracer["startActiveSpan"] = (name: string, ...args: unknown[]) => {
    const work = args.pop() as ((span: Span) => never) | undefined
    if (work === undefined) return undefined as never
    const [options, given] = args as [SpanOptions?, Context?]
    const parent = given ?? activeContext()
    const span = this.startSpan(name, options, parent)
    const manager = registrations()?.context
    return manager === undefined ? work(span) : manager.with(withSpan(parent, span), work, undefined, span)
  }

  #record(name: string, { root, ...options }: SpanOptions, given: Context): Span {
    const { listeners, resource, isSampled } = this.#recorder.options
    const [scope, version, { schemaUrl } = {}] = this.#scope
    const around = root ? withoutSpan(given) : given
    const parent = spanContextOf(around)
    const record = (context: SpanContext) =>
      new RecordedSpan(name, options, {
        context,
        parent,
        resource,
        scope: { name: scope, ...(version && { version }), ...(schemaUrl && { schemaUrl }) },
        onEnd: (ended) => listeners.forEach((each) => each.onEnd(ended)),
      })
    // A span that has ended records nothing.
    if (isSuppressed(around)) return Object.assign(record(INVALID), { ended: true })
    const spanId = newSpanId()
    const traceId = parent?.traceId ?? newTraceId()
    const traceFlags = Number(isSampled(parent, traceId))
    const span = record({ traceId, spanId, traceFlags, ...(parent?.traceState && { traceState: parent.traceState }) })
    for (const each of listeners) each.onStart(span)
    return span
  }
}
