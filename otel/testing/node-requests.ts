import { subscribe } from "node:diagnostics_channel"
import type { ClientRequest, IncomingMessage } from "node:http"
import { COMMAND_USER_AGENT } from "../protocol/transport/inspector-address.ts"
import {
  headersOfRequest,
  mayPropagate,
  REQUEST_CREATED,
  type UndiciRequest,
} from "../protocol/transport/undici-request.ts"
import {
  type ActiveAttempt,
  activeAttempt,
  endRequest,
  type OpenStep,
  type RequestResult,
  startRequest,
  testError,
} from "./active-attempt.ts"
import { traceparent } from "./trace-ids.ts"

/** On the global object: Pagespan subscribes once in a process, however often a framework loads this module. */
const ORIGINS = Symbol.for("pagespan.test-origins")
/** The origins of the test that runs. */
const globals = globalThis as { [ORIGINS]?: ReadonlySet<string> }

/** Origins besides loopback whose requests get `traceparent`: `PAGESPAN_TRACE_ORIGINS`, and those of the test project. */
export function traceOrigins(...given: readonly (string | undefined)[]): ReadonlySet<string> {
  const listed = [...(process.env["PAGESPAN_TRACE_ORIGINS"] ?? "").split(","), ...given]
  return new Set(listed.flatMap((text) => (text && URL.canParse(text.trim()) ? [new URL(text.trim()).origin] : [])))
}

/**
 * Records the requests that a test sends itself with `fetch`, undici and, from Node.js 22.12, `node:http`, and propagates its
 * trace to loopback addresses and `origins`. A request with a `traceparent` of its own stays as it is.
 *
 * @param origins from now on: tests of one process may have different ones.
 */
export function traceNodeRequests(origins: ReadonlySet<string>): void {
  const isSubscribed = globals[ORIGINS] !== undefined
  globals[ORIGINS] = origins
  if (isSubscribed) return
  const open = new WeakMap<object, OpenStep>()
  const end = (request: object, result: RequestResult): void => {
    const step = open.get(request)
    if (step !== undefined) endRequest(step, result)
  }
  on<{ request: UndiciRequest }>(REQUEST_CREATED, ({ request }) => {
    const headers = headersOfRequest(request)
    const attempt = attemptFor(request.origin, headers.get("user-agent"), headers.get("traceparent"))
    if (attempt === undefined) return
    const step = startRequest(attempt, request.method ?? "GET", new URL(request.path ?? "/", request.origin))
    open.set(request, step)
    request.addHeader("traceparent", traceparent(attempt.traceId, step.spanId))
  })
  on<{ request: object; response: { statusCode: number } }>("undici:request:headers", ({ request, response }) =>
    end(request, { status: response.statusCode }),
  )
  on<{ request: object; error: unknown }>("undici:request:error", ({ request, error }) =>
    end(request, { error: testError(error) }),
  )
  on<{ request: ClientRequest }>("http.client.request.created", ({ request }) => {
    const origin = `${request.protocol}//${String(request.getHeader("host") ?? request.host)}`
    const [agent, given] = [request.getHeader("user-agent"), request.getHeader("traceparent")]
    const attempt = attemptFor(origin, String(agent), given === undefined ? given : String(given))
    if (attempt === undefined) return
    const step = startRequest(attempt, request.method, new URL(request.path, origin))
    open.set(request, step)
    request.setHeader("traceparent", traceparent(attempt.traceId, step.spanId))
  })
  on<{ request: object; response: IncomingMessage }>("http.client.response.finish", ({ request, response }) =>
    end(request, { status: response.statusCode }),
  )
  on<{ request: object; error: unknown }>("http.client.request.error", ({ request, error }) =>
    end(request, { error: testError(error) }),
  )
}

/** The attempt that the request belongs to, if it may have the trace. */
function attemptFor(
  address: string | URL | undefined,
  agent: string | undefined,
  given: string | undefined,
): ActiveAttempt | undefined {
  if (given !== undefined || agent === COMMAND_USER_AGENT || !mayPropagate(address, globals[ORIGINS] ?? new Set()))
    return undefined
  return activeAttempt()
}

/** An error in a channel's subscriber would end the process. The request is sent without the trace instead. */
function on<Message>(channel: string, take: (message: Message) => void): void {
  subscribe(channel, (message) => {
    try {
      take(message as Message)
    } catch {
      // A message of another version of Node.js: nothing is recorded of this request.
    }
  })
}
