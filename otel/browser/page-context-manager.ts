import { type Context, type ContextManager, ROOT_CONTEXT, trace } from "@opentelemetry/api"

/**
 * Browsers keep no context across `await`. Where none is active, the page's current root is: after an `await` a span
 * belongs to the page, not to nothing. Pass a context explicitly where the exact parent matters.
 *
 * OpenTelemetry's own manager for browsers does the same without the root, in more bytes than a page has for it.
 */
export class PageContextManager implements ContextManager {
  readonly #ambient: () => Context
  #active = ROOT_CONTEXT

  constructor(ambient: () => Context) {
    this.#ambient = ambient
  }

  active(): Context {
    return trace.getSpanContext(this.#active) === undefined ? this.#ambient() : this.#active
  }

  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    context: Context,
    work: F,
    self?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    const before = this.#active
    this.#active = context
    try {
      return Reflect.apply(work, self, args) as ReturnType<F>
    } finally {
      this.#active = before
    }
  }

  bind<T>(context: Context, target: T): T {
    if (typeof target !== "function") return target
    const run = (self: unknown, args: unknown[]) =>
      this.with(context, () => Reflect.apply(target, self, args) as unknown, undefined)
    return function (this: unknown, ...args: unknown[]) {
      return run(this, args)
    } as T
  }

  enable(): this {
    return this
  }

  disable(): this {
    this.#active = ROOT_CONTEXT
    return this
  }
}
