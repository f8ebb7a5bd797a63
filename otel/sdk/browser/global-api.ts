import {
  context,
  type Context,
  type ContextManager,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  trace,
  type TracerProvider,
} from "@opentelemetry/api"

/**
 * Registers the page's provider and context manager, so that the app's own spans join in. Neither exists before they are used.
 *
 * @param provider without one, the app's spans are not recorded.
 * @param rootContext returns the context of the current root.
 */
export function registerGlobally(provider: () => TracerProvider | undefined, rootContext: () => Context): void {
  trace.setGlobalTracerProvider({
    getTracer: (...scope) => (provider() ?? new ProxyTracerProvider()).getTracer(...scope),
  })
  context.setGlobalContextManager(new PageContextManager(rootContext))
}

/**
 * A context manager for synchronous code, as OpenTelemetry's `StackContextManager`. Browsers do not carry the context across
 * `await`: where none is active, a new span becomes a child of the page's current root. Pass a context explicitly where the
 * exact parent matters.
 */
class PageContextManager implements ContextManager {
  readonly #rootContext: () => Context
  #active = ROOT_CONTEXT

  constructor(rootContext: () => Context) {
    this.#rootContext = rootContext
  }

  active(): Context {
    return trace.getSpanContext(this.#active) === undefined ? this.#rootContext() : this.#active
  }

  with: ContextManager["with"] = (context, work, self, ...args) => {
    const previous = this.#active
    this.#active = context
    try {
      return Reflect.apply(work, self, args)
    } finally {
      this.#active = previous
    }
  }

  bind<T>(context: Context, target: T): T {
    const { with: run } = this
    if (typeof target !== "function") return target
    return function (this: unknown, ...args: unknown[]) {
      return run(context, target as unknown as () => unknown, this as undefined, ...(args as []))
    } as T
  }

  enable(): this {
    return this
  }

  disable(): this {
    return this
  }
}
