import { SpanStatusCode, trace } from "@opentelemetry/api"
import * as Sentry from "@sentry/nextjs"
import type { Instrumentation } from "next"
import { buildFacts } from "../routes/build-facts.ts"
import { TOLD_HEADERS } from "../sentry/told-headers.ts"
import { recordError } from "./record-error.ts"

type RequestError = Parameters<Instrumentation.onRequestError>

const FILE_OF_ROUTE = /\/page$/

/** Puts the error on the request's span as an `exception` event with its digest, and into Sentry on the request's trace. */
export function reportRequestError(error: RequestError[0], request: RequestError[1], context: RequestError[2]): void {
  const span = trace.getActiveSpan()
  recordError(span, error, String(error))
  span?.setStatus({ code: SpanStatusCode.ERROR })
  // The span that ran the proxy tells of its errors, since Next does not tell them here in every runtime.
  if (Sentry.getClient() === undefined || context.routeType === "proxy") return
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => TOLD_HEADERS.includes(name)))
  const path = request.path.split(/[?#]/, 1)[0] ?? request.path
  const routePath = routeOf(context.routePath)
  Sentry.captureRequestError(error, { ...request, path, headers }, { ...context, routePath })
}

/** Next names the file of a server action's page, where it names the route of everything else. */
function routeOf(routePath: string): string {
  const { routes } = buildFacts()
  const route = routePath.replace(FILE_OF_ROUTE, "") || "/"
  return !routes.includes(routePath) && routes.includes(route) ? route : routePath
}
