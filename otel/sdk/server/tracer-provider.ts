import {
  type Attributes,
  context,
  type Context,
  type Span,
  type SpanOptions,
  trace,
  type Tracer,
} from "@opentelemetry/api"
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node"
import { safely } from "../../protocol/safely.ts"

interface SkipOptions {
  /** Whether to skip a span below one that is not recorded. Counts a span that it skips. */
  readonly skips: (parent: Span, attributes: Attributes | undefined) => boolean
}

type Provider = ConstructorParameters<typeof NodeTracerProvider>[0]
type Work = (span: Span) => unknown

/**
 * OpenTelemetry's provider, with one difference: in a trace that is not recorded, `startActiveSpan` runs its function under the
 * span that is active already. A span of its own would have an id and nothing else, and cost a context and a copy of Sentry's
 * scopes, which is most of what an unsampled request costs.
 */
export class ServerTracerProvider extends NodeTracerProvider {
  readonly #options: SkipOptions
  readonly #tracers = new WeakMap<Tracer, Tracer>()

  constructor(provider: Provider, options: SkipOptions) {
    super(provider)
    this.#options = options
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
      startSpan: (name, options, parent) => inner.startSpan(name, options, parent),
      startActiveSpan: (name: string, ...rest: unknown[]) => {
        const work = rest.at(-1) as Work
        const [options, given] = rest.slice(0, -1) as [SpanOptions?, Context?]
        const parent = options?.root === true ? undefined : trace.getSpan(context.active())
        const isActive = given === undefined || given === context.active()
        if (parent !== undefined && isActive && this.#skips(parent, options?.attributes)) return work(parent)
        return inner.startActiveSpan(name, options ?? {}, given ?? context.active(), work)
      },
    } as Tracer
  }

  #skips(parent: Span, attributes: Attributes | undefined): boolean {
    return safely(
      () => this.#options.skips(parent, attributes),
      () => false,
    )
  }
}
