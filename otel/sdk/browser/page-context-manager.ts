import { type Context, trace } from "@opentelemetry/api"
import { StackContextManager } from "@opentelemetry/sdk-trace-web"

/**
 * Browsers keep no context across `await`. Where none is active, the page's current root is: after an `await` a span
 * belongs to the page, not to nothing. Pass a context explicitly where the exact parent matters.
 */
export class PageContextManager extends StackContextManager {
  readonly #ambient: () => Context

  constructor(ambient: () => Context) {
    super()
    this.#ambient = ambient
  }

  override active(): Context {
    const active = super.active()
    return trace.getSpanContext(active) === undefined ? this.#ambient() : active
  }
}
