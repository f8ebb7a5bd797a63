import { type Attributes, type Context, type Span, SpanKind, SpanStatusCode } from "@opentelemetry/api"
import {
  ATTR_ERROR_TYPE,
  ATTR_HTTP_METHOD,
  ATTR_HTTP_STATUS,
  ATTR_PREFETCH,
  ATTR_URL_TEMPLATE,
} from "../roots/semconv.ts"
import { type OutgoingRequest, recordedUrl } from "./outgoing-request.ts"
import type { RequestTracing } from "./traced-request.ts"

/** What the router's own requests are called and marked by; a prefetch by Sentry's word for it, which Next has none for. */
const ROUTER_REQUESTS = {
  rsc: { verb: "RSC", mark: "next.rsc" },
  action: { verb: "ACTION", mark: "next.action" },
  prefetch: { verb: "PREFETCH", mark: ATTR_PREFETCH },
} as const

/**
 * A client span, named by what the request is for and by the route that serves it, never by a raw path.
 *
 * @param marks attributes besides those of the request itself.
 */
export function startRequestSpan(
  { tracer, matcher, queryParameters }: RequestTracing,
  request: OutgoingRequest,
  startTime: number,
  context: Context,
  marks: Attributes,
): Span {
  const { url, method, kind, isSameOrigin } = request
  const route = isSameOrigin ? matcher.matchPath(url.pathname) : undefined
  const { verb, mark } = kind === "api" ? { verb: method } : ROUTER_REQUESTS[kind]
  const where = isSameOrigin ? route : url.host
  const attributes: Attributes = {
    [ATTR_HTTP_METHOD]: method,
    ...recordedUrl(url, queryParameters),
    "sentry.op": "http.client",
    "sentry.origin": "auto.http.pagespan",
    ...(mark === undefined ? {} : { [mark]: true }),
    ...(route === undefined ? {} : { [ATTR_URL_TEMPLATE]: route }),
    ...marks,
  }
  const name = where === undefined ? verb : `${verb} ${where}`
  return tracer.startSpan(name, { kind: SpanKind.CLIENT, startTime, attributes }, context)
}

/** @param status 0 of an opaque answer (`no-cors`), `undefined` of a resource where the browser tells none, like Safari. */
export function noteResponse(span: Span, status: number | undefined): void {
  if (!status) return
  span.setAttribute(ATTR_HTTP_STATUS, status)
  if (status < 400) return
  span.setAttribute(ATTR_ERROR_TYPE, String(status))
  span.setStatus({ code: SpanStatusCode.ERROR })
}

/** A request that the page took back is no error. */
export function noteFailure(span: Span, type: string): void {
  span.setAttribute(ATTR_ERROR_TYPE, type)
  if (type !== "AbortError") span.setStatus({ code: SpanStatusCode.ERROR })
}
