import { context, type Span, type Tracer, type TracerProvider } from "@opentelemetry/api"
import { suppressTracing } from "@opentelemetry/core"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { safely } from "../../../protocol/safely.ts"
import { setInstallInstrumentations } from "../page.ts"
import type { FetchArguments, OutgoingRequest } from "./outgoing-request.ts"
import { type Fetch, type RequestTracing, TracedRequest } from "./traced-request.ts"

/** An OpenTelemetry instrumentation for browsers, such as `FetchInstrumentation` of `@opentelemetry/instrumentation-fetch`. */
export interface PageInstrumentation {
  readonly instrumentationName: string
  readonly instrumentationVersion?: string
  setTracerProvider(provider: TracerProvider): void
  disable(): void
}

/**
 * Registers OpenTelemetry instrumentations with the page's tracer. Call it in the module that `withPagespan` names as
 * `pageModule`, which runs before the tracer starts.
 *
 * One that patches `fetch` replaces the built-in tracing of `fetch`: it creates, describes and ends the spans of requests.
 * Pagespan still names them by route, removes queries from their URLs, adds trace headers, and applies the rules of roots,
 * polling and prefetches. `XMLHttpRequest` stays with the built-in tracing.
 *
 * @param create is called each time tracing starts, after consent and not before, and returns the instrumentations. Where
 *   it throws, the page is traced without them, and its console says why.
 *
 * @example
 * import { FetchInstrumentation } from "@opentelemetry/instrumentation-fetch"
 * import { setInstrumentations } from "pagespan/instrumentations"
 *
 * setInstrumentations(() => [new FetchInstrumentation({ measureRequestSize: true })])
 */
export function setInstrumentations(create: () => readonly PageInstrumentation[]): void {
  setInstallInstrumentations((tracing) => install(tracing, create))
}

function install(tracing: RequestTracing, create: () => readonly PageInstrumentation[]): () => void {
  const native = window.fetch
  const spans = new SpanHandover(tracing.provider)
  const created = safely<readonly PageInstrumentation[]>(
    () => [...create()],
    (error) => {
      warnOf("the function of setInstrumentations", error)
      return []
    },
  )
  const instrumented = window.fetch
  // Only `TracedRequest` calls the instrumented one. Deliveries and what the tracer does not record use the page's own.
  if (instrumented !== native) window.fetch = native
  const working = created.filter((instrumentation) => isConnected(instrumentation, spans))
  // One that failed may have patched `fetch` before: it would not end the spans of requests.
  if (instrumented !== native && working.length === created.length && created.length > 0)
    tracing.Fetched = instrumentedRequest(instrumented, spans, scopeOf(created, tracing))
  return () => created.forEach((instrumentation) => safely(() => instrumentation.disable()))
}

/** Whether the instrumentation makes its spans with the page's tracer. */
function isConnected(instrumentation: PageInstrumentation, spans: SpanHandover): boolean {
  return safely(
    () => {
      instrumentation.setTracerProvider(spans)
      return true
    },
    (error) => {
      warnOf(String(instrumentation?.instrumentationName), error)
      return false
    },
  )
}

function warnOf(what: string, error: unknown): void {
  // oxlint-disable-next-line no-console -- developers of the page read the console
  safely(() => console.warn(`pagespan: ${what} failed, and the page is traced without it:`, error))
}

/** The tracer by which the spans of `fetch` name the instrumentation as their scope. */
function scopeOf(created: readonly PageInstrumentation[], { provider, tracer }: RequestTracing): Tracer {
  const found = created.find(({ instrumentationName }) => instrumentationName.includes("fetch"))
  return found === undefined ? tracer : provider.getTracer(found.instrumentationName, found.instrumentationVersion)
}

/** A request that goes through an instrumentation, which ends its span. */
function instrumentedRequest(instrumented: Fetch, spans: SpanHandover, tracer: Tracer): typeof TracedRequest {
  return class extends TracedRequest {
    constructor(tracing: RequestTracing, request: OutgoingRequest) {
      super({ ...tracing, tracer }, request)
    }

    override send(native: Fetch, self: unknown, args: FetchArguments): Promise<Response> {
      const { span } = this
      // A prefetch, or a request past a limit.
      if (span === undefined) return super.send(native, self, args)
      // Suppressed: the request has its headers, and keeps those that the page set itself.
      const send = () => Reflect.apply(instrumented, self, args)
      return spans.during(span, () => context.with(suppressTracing(context.active()), send))
    }

    protected override endSpan(): void {}
  }
}

/**
 * The tracer provider of the instrumentations. While one of them sends a request, the span that it starts is the one that
 * `TracedRequest` has started; any other span is started as usual.
 */
class SpanHandover implements TracerProvider {
  readonly #provider: TracerProvider
  #span: Span | undefined

  constructor(provider: TracerProvider) {
    this.#provider = provider
  }

  during<T>(span: Span, work: () => T): T {
    this.#span = span
    try {
      return work()
    } finally {
      this.#span = undefined
    }
  }

  getTracer(name: string, version?: string): Tracer {
    const tracer = this.#provider.getTracer(name, version)
    const startSpan: Tracer["startSpan"] = (spanName, options, parent) => {
      const span = this.#span
      if (span === undefined) return tracer.startSpan(spanName, options, parent)
      this.#span = undefined
      // Its URL may hold a query, or a secret in its path.
      const { "url.full": _, "http.url": old, ...attributes } = options?.attributes ?? {}
      const url = (span as Partial<ReadableSpan>).attributes?.["url.full"]
      return span.setAttributes(
        old === undefined || url === undefined ? attributes : { ...attributes, "http.url": url },
      )
    }
    return { startSpan, startActiveSpan: tracer.startActiveSpan.bind(tracer) as Tracer["startActiveSpan"] }
  }
}
