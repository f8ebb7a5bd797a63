import { subscribe } from "node:diagnostics_channel"
import { context, propagation, trace } from "@opentelemetry/api"
import { safely } from "../safely.ts"
import { addRequestBreadcrumb } from "./request-context.ts"
import { isSampledOut } from "./sampler.ts"

/**
 * Message of undici, the implementation of Node's `fetch`, before it sends a request. Next's span of the request is active.
 *
 * @see https://github.com/nodejs/undici/blob/main/docs/docs/api/DiagnosticsChannel.md
 */
interface UndiciRequest {
  readonly method?: string
  readonly origin?: string | URL
  /** With its query. */
  readonly path?: string
  /** Alternating names and values. */
  readonly headers: readonly (string | readonly string[])[]
  addHeader(name: string, value: string): void
}

const REQUEST_CREATED = "undici:request:create"
const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

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

export function mayPropagate(address: string | URL | undefined, listed: ReadonlySet<string>): boolean {
  if (address === undefined || !URL.canParse(address)) return false
  const { origin, hostname } = new URL(address)
  return LOOPBACK.test(hostname) || listed.has(origin)
}

/** Headers that the app has set itself stay. If it has set only Sentry's headers of this trace, the others are added. */
function addTrace(request: UndiciRequest): void {
  const active = trace.getSpanContext(context.active())
  const given = headersOf(request)
  if (active === undefined || given.has("traceparent")) return
  if (given.has("sentry-trace") && !given.get("sentry-trace")?.startsWith(active.traceId)) return
  const carrier: Record<string, string> = {}
  propagation.inject(context.active(), carrier)
  const hasSentryTrace = given.has("sentry-trace")
  for (const [name, value] of Object.entries(carrier))
    if (!given.has(name) || (name === "baggage" && !hasSentryTrace)) request.addHeader(name, value)
}

function headersOf({ headers }: UndiciRequest): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (let index = 0; index + 1 < headers.length; index += 2)
    found.set(String(headers[index]).toLowerCase(), String(headers[index + 1]))
  return found
}
