import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import type { BuildManifest } from "../../routes/build-manifest.ts"
import { createRouteMatcher, type RouteMatcher } from "../../routes/matcher.ts"
import { isProxyRun, isRequestSpan, methodOf } from "../../routes/request-span.ts"
import { routeOf, STATUS_PAGE } from "../../routes/route-of-file.ts"
import { notFoundRoute, outerRoute } from "./outer-requests.ts"

/** What Next's server renders where the edge runtime failed, in an app with pages of the Pages Router. */
const ERROR_PAGE = "/_error"
/** In the name of a request for the data of a page of `app/`. */
const DATA_OF_PAGE = "RSC "
/** Precedes the id of the build in the path of a page's data. */
const PAGE_DATA = "/_next/data/"

/**
 * Finds the routes of requests whose span has none, or not the right one. The edge runtime handles some: Next runs it separately
 * from its server, so the server's span of the request has no route. Before version 16 Next gives a route handler's request the path of
 * the file, and the 404 page another route than its pages have. The span of an HTTP instrumentation above Next's has none, nor has
 * a request that ends with a prerendered 404 page.
 */
export class RequestRoutes {
  readonly #matcher: RouteMatcher
  /** Whether the app has a page of its own at the path of Next's. */
  readonly #hasStatusPage: boolean

  constructor({ routes, handlers, basePath }: Pick<BuildManifest, "routes" | "handlers" | "basePath">) {
    this.#matcher = createRouteMatcher([...routes, ...handlers], basePath)
    this.#hasStatusPage = routes.includes(STATUS_PAGE)
  }

  /** The route of such a request; `undefined` for every other span. */
  of(span: ReadableSpan): string | undefined {
    const { attributes, name } = span
    const { "http.method": method, "http.target": target, "http.route": known } = attributes
    if (!isRequestSpan(attributes)) return outerRoute(span)
    if (isProxyRun(attributes)) return undefined
    if (typeof known === "string" && known !== ERROR_PAGE) {
      const route = known === STATUS_PAGE && this.#hasStatusPage ? known : routeOf(known)
      return route === known ? undefined : route
    }
    const isUnnamed = known === ERROR_PAGE || methodOf(name).replace(DATA_OF_PAGE, "") === method
    if (!isUnnamed || typeof target !== "string") return undefined
    // A page with `dynamicParams = false` may have the path, and refuse its parameters.
    return notFoundRoute(span) ?? this.#matcher.matchPath(pageOf(pathOf(target)))
  }
}

function pathOf(target: string): string {
  return target.split(/[?#]/, 1)[0] ?? target
}

/** The path of a page, if the path is that of its data, which the Pages Router requests for a navigation. */
function pageOf(path: string): string {
  const start = path.indexOf(PAGE_DATA)
  const page = path.indexOf("/", start + PAGE_DATA.length)
  if (start === -1 || page === -1 || !path.endsWith(".json")) return path
  const below = path.slice(page, -".json".length)
  return `${path.slice(0, start)}${below === "/index" ? "" : below}` || "/"
}
