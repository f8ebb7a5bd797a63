import {
  type Attributes,
  context,
  type Context,
  createContextKey,
  INVALID_SPAN_CONTEXT,
  ROOT_CONTEXT,
  type Span,
  type SpanOptions,
  trace,
  type Tracer,
} from "@opentelemetry/api"
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node"
import { safely } from "../../protocol/safely.ts"
import { isAroundRequest } from "./internal-requests.ts"
import { FoldedSpan, isFolded } from "./next/folded-span.ts"
import { isSampledOut } from "./trace-state.ts"

interface SkipOptions {
  /** Whether to skip a span below one that is not recorded. Counts a span that it skips. */
  readonly skips: (parent: Span, attributes: Attributes | undefined) => boolean
}

type Provider = ConstructorParameters<typeof NodeTracerProvider>[0]
type Work = (span: Span) => unknown

/** Begins the name of Next's span of a render whose HTML is cached and served to many visitors: ISR, on-demand static generation. */
const PRERENDER = "prerender route"
const PRERENDERS = createContextKey("pagespan.prerenders")

/** Whether a span with this name renders HTML for many visitors, or whether such a span was skipped in this context. */
export function isPrerendering(context: Context, name: unknown): boolean {
  return context.getValue(PRERENDERS) === true || (typeof name === "string" && name.startsWith(PRERENDER))
}

/** What Next takes for the class of a provider that makes no spans. */
const NO_TRACING = { name: "NoopTracerProvider" }

/**
 * OpenTelemetry's provider, which folds Next's spans of loading code into their parents (`folded-span.ts`), makes none around
 * a request's root, and has two differences in a trace that is not recorded, which are most of what an unsampled request costs:
 *
 * - `startActiveSpan` runs its function under the span that is active already. A span of its own would have an id and nothing
 *   else, and cost a context and a copy of Sentry's scopes.
 * - Below Next's span of a render, Next makes no spans at all. Below the request's root it does: one may be that of `proxy.ts`,
 *   whose errors are reported, or of a prerender, whose HTML must not name the trace.
 */
export class ServerTracerProvider extends NodeTracerProvider {
  readonly #options: SkipOptions
  readonly #tracers = new WeakMap<Tracer, Tracer>()
  /** Spans that are not recorded, below which Next makes no spans. */
  readonly #quiet = new WeakSet<Span>()

  constructor(provider: Provider, options: SkipOptions) {
    super(provider)
    this.#options = options
    // Next asks for the name of the provider's class before each of its spans: `docs/decisions/0014-unsampled-renders.md`.
    Object.defineProperty(this, "constructor", { get: () => (this.#isQuiet() ? NO_TRACING : ServerTracerProvider) })
  }

  override getTracer(
    ...scope: Parameters<NodeTracerProvider["getTracer"]>
  ): ReturnType<NodeTracerProvider["getTracer"]> {
    const inner = super.getTracer(...scope)
    const known = this.#tracers.get(inner)
    if (known !== undefined) return known
    const tracer = this.#skipping(inner)
    this.#tracers.set(inner, tracer)
    return tracer
  }

  #skipping(inner: Tracer): Tracer {
    return {
      startSpan: (name, options, parent) => {
        const span = inner.startSpan(name, options, parent)
        if (isNextSpan(options) && isBelowLocalSpan(span, parent)) this.#quiet.add(span)
        return span
      },
      startActiveSpan: (name: string, ...rest: unknown[]) => {
        const work = rest.at(-1) as Work
        const [options, given] = rest.slice(0, -1) as [SpanOptions?, Context?]
        const parent = options?.root === true ? undefined : trace.getSpan(context.active())
        const isActive = given === undefined || given === context.active()
        if (isAroundRequest(options?.attributes) && isAboveRoots(parent))
          return work(trace.wrapSpanContext(INVALID_SPAN_CONTEXT))
        if (parent !== undefined && isActive && this.#skips(parent, options?.attributes))
          return isPrerendering(ROOT_CONTEXT, name)
            ? context.with(context.active().setValue(PRERENDERS, true), () => work(parent))
            : work(parent)
        if (parent?.isRecording() === true && isActive && isFolded(options?.attributes))
          return work(new FoldedSpan(inner, name, options ?? {}, context.active(), parent))
        return inner.startActiveSpan(name, options ?? {}, given ?? context.active(), work)
      },
    } as Tracer
  }

  #isQuiet(): boolean {
    const active = trace.getSpan(context.active())
    return active !== undefined && this.#quiet.has(active)
  }

  #skips(parent: Span, attributes: Attributes | undefined): boolean {
    return safely(
      () => this.#options.skips(parent, attributes),
      () => false,
    )
  }
}

/** Whether a span below the active one would be a local root. */
function isAboveRoots(active: Span | undefined): boolean {
  return active === undefined || active.spanContext().isRemote === true
}

function isNextSpan(options: SpanOptions | undefined): boolean {
  return options?.attributes?.["next.span_type"] !== undefined
}

/** Whether a span is not recorded because the span of this process above it is not sampled. */
function isBelowLocalSpan(span: Span, parent = context.active()): boolean {
  if (span.isRecording() || !isSampledOut(span.spanContext())) return false
  const above = trace.getSpanContext(parent)
  return above !== undefined && above.isRemote !== true
}
