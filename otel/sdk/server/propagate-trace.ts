import { subscribe } from "node:diagnostics_channel"
import { context, propagation, trace } from "@opentelemetry/api"
import {
  headersOfRequest,
  mayPropagate,
  REQUEST_CREATED,
  type UndiciRequest,
} from "../../protocol/transport/undici-request.ts"
import { safely } from "../../protocol/safely.ts"
import { addRequestBreadcrumb } from "./request-context.ts"
import { isSampledOut } from "./trace-state.ts"

/** Propagates the trace on the server's own requests, to loopback addresses and to the listed origins. */
export function propagateTrace(origins: readonly string[]): void {
  const listed: ReadonlySet<string> = new Set(origins)
  subscribe(REQUEST_CREATED, (message) => {
    const { request } = message as { request: UndiciRequest }
    // An error in a channel's subscriber would end the process. The request is sent without the trace instead.
    safely(() => {
      if (mayPropagate(request.origin, listed)) addTrace(request)
    })
    safely(() => addBreadcrumb(request))
  })
}

/** In a request that is not recorded, no span becomes the breadcrumb of its errors. The status is not known yet. */
function addBreadcrumb({ method, origin, path = "" }: UndiciRequest): void {
  const active = trace.getSpanContext(context.active())
  if (active === undefined || !isSampledOut(active)) return
  addRequestBreadcrumb(method, `${String(origin)}${path.split(/[?#]/, 1)[0]}`, undefined)
}

/** Headers that the app has set itself stay. If it has set only Sentry's headers of this trace, the others are added. */
function addTrace(request: UndiciRequest): void {
  const active = trace.getSpanContext(context.active())
  const given = headersOfRequest(request)
  if (active === undefined || given.has("traceparent")) return
  if (given.has("sentry-trace") && !given.get("sentry-trace")?.startsWith(active.traceId)) return
  const carrier: Record<string, string> = {}
  propagation.inject(context.active(), carrier)
  const hasSentryTrace = given.has("sentry-trace")
  for (const [name, value] of Object.entries(carrier))
    if (!given.has(name) || (name === "baggage" && !hasSentryTrace)) request.addHeader(name, value)
}
