import type { IncomingMessage, RequestListener } from "node:http"
import { QUERY_HEADER } from "../../inspector/active-queries.ts"
import type { Receiver } from "../../inspector/ingest/receiver.ts"
import type { Inspector } from "../../inspector/inspector.ts"
import { headersOf } from "../../protocol/transport/request.ts"
import { secureScreen } from "./content-security.ts"
import { mcpListener } from "./mcp-listener.ts"
import { NodeRequest, requestListener } from "./request-listener.ts"
import { refuseForScreens } from "./screens.ts"

/** The paths of Sentry's SDKs, below the project that their DSN names; any project will do. */
const SENTRY_PATH = /^\/api\/[^/]+\/(?<handler>envelope|store|integration\/otlp\/v1\/(?:traces|logs))\/?$/

/** Finds the handler of a path, `undefined` where there is none. */
export function handlersFor(receiver: Receiver): (path: string) => RequestListener | undefined {
  const traces = requestListener((request) => receiver.traces(request))
  const logs = requestListener((request) => receiver.logs(request))
  const handlers = new Map<string, RequestListener>([
    ["/v1/traces", traces],
    ["/v1/logs", logs],
    ["/v1/metrics", requestListener((request) => receiver.metrics(request))],
    ["/stream", requestListener((request) => receiver.stream(request))],
    ["/open", requestListener((request) => receiver.sources.open(request))],
    ["/contextlines", requestListener((request) => receiver.sources.contextLines(request))],
    ["/live", requestListener((request) => receiver.live(request))],
    ["/sign-in", requestListener((request) => receiver.signIn.handler(request))],
    ["/health", requestListener((request) => receiver.health(request))],
  ])
  const sentryHandlers = new Map<string, RequestListener>([
    ["envelope", requestListener((request) => receiver.envelope(request))],
    ["store", requestListener((request) => receiver.store(request))],
    ["integration/otlp/v1/traces", requestListener((request) => receiver.sentryTraces(request))],
    ["integration/otlp/v1/logs", requestListener((request) => receiver.sentryLogs(request))],
  ])
  return (path) => handlers.get(path) ?? sentryHandlers.get(SENTRY_PATH.exec(path)?.groups?.["handler"] ?? "")
}

export function pathOf({ url = "/" }: IncomingMessage): string {
  return url.split("?", 1)[0] ?? "/"
}

/**
 * What answers first. The handlers are answered here, by the same functions as in the route files, so that they are open
 * before the screens are ready and do not pay for Next; everything else is the screens'.
 */
export function createRouter(inspector: Inspector, screens: () => RequestListener | undefined): RequestListener {
  const { receiver, activeQueries } = inspector
  const findHandler = handlersFor(receiver)
  const agents = mcpListener(inspector)
  return (request, response) => {
    const path = pathOf(request)
    const handler = findHandler(path)
    if (handler !== undefined) return handler(request, response)
    if (path === "/mcp") return agents(request, response)
    const refusal = receiver.guardHost({ headers: headersOf({ host: request.headers.host }) })
    if (refusal !== undefined) return requestListener(() => refusal)(request, response)
    const unseen = receiver.signIn.guard(new NodeRequest(request, response))
    if (unseen !== undefined) return requestListener(() => unseen)(request, response)
    secureScreen(request, response, path)
    const misdirected = refuseForScreens(path, request.method)
    if (misdirected !== undefined) return requestListener(() => misdirected)(request, response)
    request.headers[QUERY_HEADER] = activeQueries.begin(response)
    const serve = screens() ?? requestListener(starting)
    return serve(request, response)
  }
}

function starting(): Response {
  const page = `<!doctype html><meta http-equiv="refresh" content="1"><title>Pagespan</title><p>Pagespan is starting.</p>`
  return new Response(page, {
    status: 503,
    headers: { "content-type": "text/html; charset=utf-8", "retry-after": "1", "cache-control": "no-store" },
  })
}
