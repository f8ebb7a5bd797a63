import type { Attributes } from "@opentelemetry/api"
import type { RouteMatcher } from "../../routes/matcher.ts"
import { ATTR_DOCUMENT_URL } from "../semconv.ts"

/** Finds the page that an event is about. @param attributes of the span or the root that the event belongs to. */
export type RequestOf = (attributes?: Attributes) => {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Names a page without query, fragment and secrets in its path, which may identify a person. Sentry's own integration sends the
 * whole URL, as it is at the time of sending.
 */
export function requestsOf(matcher: RouteMatcher): RequestOf {
  return (attributes) => ({
    url:
      (attributes?.[ATTR_DOCUMENT_URL] as string | undefined) ??
      window.location.origin + matcher.publicPath(window.location.pathname),
    headers: { "User-Agent": navigator.userAgent },
  })
}
