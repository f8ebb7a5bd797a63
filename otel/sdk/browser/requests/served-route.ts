import type { OutgoingRequest } from "./outgoing-request.ts"
import type { RequestTracing, TracedRequest } from "./traced-request.ts"

/** Next's answer to its router names the path that it has served, where its proxy or `rewrites` have chosen another one. */
const REWRITTEN_PATH = "x-nextjs-rewritten-path"

/**
 * Names requests of Next's router by the route that served them, which a rewrite hides from their path. The answer says which, except
 * in an app with a base path. A server action, whose answer does not, is one of the page that is shown. The names of attributes
 * are not imported: a bundler inlines a file that only the first load imports.
 */
export function namedByAnswer(Traced: typeof TracedRequest): typeof TracedRequest {
  return class extends Traced {
    readonly #nameBy: (rewrittenPath: string | null | undefined) => void

    constructor(tracing: RequestTracing, request: OutgoingRequest) {
      super(tracing, request)
      const { current, matcher } = tracing
      const { kind, url } = request
      const { "http.route": shown, "url.path": path } = current.root?.span.attributes ?? {}
      const isOfPage = typeof shown === "string" && matcher.publicPath(url.pathname, shown) === path
      this.#nameBy = (rewrittenPath) => {
        const route = rewrittenPath ? matcher.matchPath(rewrittenPath) : isOfPage ? shown : undefined
        if (kind === "api" || route === undefined) return
        this.span?.updateName(`${kind.toUpperCase()} ${route}`).setAttributes({
          "url.template": route,
          "url.full": url.origin + matcher.publicPath(url.pathname, route),
        })
      }
    }

    override responded(response: Parameters<TracedRequest["responded"]>[0], at: number): void {
      this.#nameBy(response.headers?.get(REWRITTEN_PATH))
      super.responded(response, at)
    }
  }
}
