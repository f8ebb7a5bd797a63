import { subscribe } from "node:diagnostics_channel"
import { context, propagation, trace } from "@opentelemetry/api"

/**
 * What undici, which Node's `fetch` is, tells of a request that is about to be sent. The span of it, Next's own, is active.
 *
 * @see https://github.com/nodejs/undici/blob/main/docs/docs/api/DiagnosticsChannel.md
 */
interface UndiciRequest {
  readonly origin?: string | URL
  /** Names and values by turns. */
  readonly headers: readonly (string | readonly string[])[]
  addHeader(name: string, value: string): void
}

const REQUEST_CREATED = "undici:request:create"
const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Lets the server's own requests carry the trace that they are made in, to this machine and to the origins that are listed. */
export function propagateTrace(origins: readonly string[]): void {
  const listed: ReadonlySet<string> = new Set(origins)
  subscribe(REQUEST_CREATED, (message) => {
    const { request } = message as { request: UndiciRequest }
    try {
      if (mayPropagate(request.origin, listed)) addTrace(request)
    } catch {
      // The request goes without. What is thrown here would end the process.
    }
  })
}

export function mayPropagate(address: string | URL | undefined, listed: ReadonlySet<string>): boolean {
  if (address === undefined || !URL.canParse(address)) return false
  const { origin, hostname } = new URL(address)
  return LOOPBACK.test(hostname) || listed.has(origin)
}

/** A trace that the app has put there itself is left as it is; the same one, by Sentry's headers alone, gets the others. */
function addTrace(request: UndiciRequest): void {
  const active = trace.getSpanContext(context.active())
  const given = headersOf(request)
  if (active === undefined || given.has("traceparent")) return
  if (given.has("sentry-trace") && !given.get("sentry-trace")?.startsWith(active.traceId)) return
  const carrier: Record<string, string> = {}
  propagation.inject(context.active(), carrier)
  const isRecorded = given.has("sentry-trace")
  for (const [name, value] of Object.entries(carrier))
    if (!given.has(name) || (name === "baggage" && !isRecorded)) request.addHeader(name, value)
}

function headersOf({ headers }: UndiciRequest): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (let index = 0; index + 1 < headers.length; index += 2)
    found.set(String(headers[index]).toLowerCase(), String(headers[index + 1]))
  return found
}
