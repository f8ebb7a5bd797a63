import { SpanStatusCode, trace } from "@opentelemetry/api"
import * as Sentry from "@sentry/nextjs"
import type { Instrumentation } from "next"
import { buildFacts } from "../routes/build-facts.ts"
import { outgoingAttributes } from "../sentry/semantic-attributes.ts"
import { transactionRequest } from "../sentry/transaction-request.ts"
import { recordError } from "./record-error.ts"
import { headerAttributes } from "./request-facts.ts"

type RequestError = Parameters<Instrumentation.onRequestError>

const FILE_OF_ROUTE = /\/(?:page|route)$/

/** Puts the error on the request's span as an `exception` event with its digest, and into Sentry on the request's trace. */
export function reportRequestError(error: RequestError[0], request: RequestError[1], context: RequestError[2]): void {
  const span = trace.getActiveSpan()
  recordError(span, error, String(error))
  span?.setStatus({ code: SpanStatusCode.ERROR })
  // The span that ran the proxy tells of its errors, since Next does not tell them here in every runtime.
  if (Sentry.getClient() === undefined || context.routeType === "proxy") return
  const { headers = {} } = outgoingRequest(request) ?? {}
  const path = request.path.split(/[?#]/, 1)[0] ?? request.path
  const routePath = routeOf(context.routePath)
  Sentry.captureRequestError(error, { ...request, path, headers }, { ...context, routePath })
}

/** As the span of the request tells it: a header may hold an address with a query. */
function outgoingRequest({ method, headers }: RequestError[1]) {
  const attributes = { "http.method": method, ...headerAttributes((name) => headers[name]) }
  return transactionRequest(outgoingAttributes(attributes).attributes)
}

/** Next names the file of a server action's page, and of what the edge runtime runs, where it names the route of all else. */
function routeOf(routePath: string): string {
  const { routes, handlers } = buildFacts()
  const served = new Set([...routes, ...handlers])
  const route = routePath.replace(FILE_OF_ROUTE, "") || "/"
  return !served.has(routePath) && served.has(route) ? route : routePath
}
