import type { Span } from "@opentelemetry/api"
import { ATTR_HTTP_ROUTE, ATTR_URL_PATH, ATTR_URL_TEMPLATE } from "./semconv.ts"

/** The name of a root whose route is not known: never a raw path, which would make a name for each visitor. */
const UNMATCHED = "unmatched"
/** Next's own name for the page that it shows where no route matched. */
export const NOT_FOUND_ROUTE = "/_not-found"

/** Names a root after its route; the path itself is an attribute. May be called again when the route turns out to be another. */
export function nameRoot(span: Span, route: string | undefined, path: string): void {
  const matched = route !== undefined && route !== NOT_FOUND_ROUTE
  span.updateName(route ?? UNMATCHED)
  span.setAttributes({
    [ATTR_URL_PATH]: path,
    "sentry.source": matched ? "route" : "url",
    ...(matched ? { [ATTR_HTTP_ROUTE]: route, [ATTR_URL_TEMPLATE]: route } : {}),
  })
}
