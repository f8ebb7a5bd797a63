import type { IncomingMessage, RequestListener } from "node:http"
import { context } from "@opentelemetry/api"
import { suppressTracing } from "@opentelemetry/core"
import type { Receiver } from "../../inspector/ingest/receiver.ts"
import type { Inspector } from "../../inspector/inspector.ts"
import { QUERY_HEADER } from "../../inspector/queries/active-queries.ts"
import { headersOf } from "../../protocol/transport/request.ts"
import { COMMAND_USER_AGENT } from "../../protocol/transport/inspector-address.ts"
import { mcpListener } from "./mcp-listener.ts"
import { plainPage } from "./plain-page.ts"
import { askForBody, NodeRequest, requestListener } from "./request-listener.ts"
import { refuseForScreens, secureScreen } from "./screen-guard.ts"

/** The ingest endpoints of Sentry's SDKs. The inspector accepts any project. */
const SENTRY_PATH = /^\/api\/[^/]+\/(?<handler>envelope|store|integration\/otlp\/v1\/(?:traces|logs))\/?$/

/** The paths of OTLP, also as clients make them of an endpoint that ends in a slash: `//v1/traces`, `/v1/traces/`. */
const OTLP_PATH = /^\/{1,2}(?<signal>v1\/(?:traces|logs|metrics))\/?$/

/** A function that returns the listener of an ingest endpoint by its path, `undefined` for other paths. */
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
  return (path) =>
    handlers.get(path) ??
    handlers.get(`/${OTLP_PATH.exec(path)?.groups?.["signal"]}`) ??
    sentryHandlers.get(SENTRY_PATH.exec(path)?.groups?.["handler"] ?? "")
}

/** The path of a request without its query. */
export function pathOf({ url = "/" }: IncomingMessage): string {
  return url.split("?", 1)[0] ?? "/"
}

/**
 * Routes every request of the main port. The ingest endpoints, `/live`, `/health` and MCP answer here, without Next, so
 * that they work before the screens are ready. All other requests pass the guards and go to Next.
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
    const signIn = receiver.signIn.guard(new NodeRequest(request, response))
    if (signIn !== undefined) return requestListener(() => signIn)(request, response)
    secureScreen(request, response, path)
    const refused = refuseForScreens(path, request.method)
    if (refused !== undefined)
      return requestListener((sent) => receiver.misdirected(sent, path) ?? refused)(request, response)
    request.headers[QUERY_HEADER] = activeQueries.begin(response)
    askForBody(request, response)
    shortenUserAgent(request)
    const serve = screens() ?? requestListener(starting)
    return isOwnCommand(request) ? untraced(() => serve(request, response)) : serve(request, response)
  }
}

/**
 * Characters of `User-Agent` that Next gets. Next searches it for bots with an expression whose time grows with the square of
 * the length: 14 KB cost more than a second for each screen. Browsers send about a hundred characters.
 */
const USER_AGENT_LIMIT = 512

function shortenUserAgent({ headers }: IncomingMessage): void {
  const userAgent = headers["user-agent"]
  if (userAgent !== undefined && userAgent.length > USER_AGENT_LIMIT)
    headers["user-agent"] = userAgent.slice(0, USER_AGENT_LIMIT)
}

/** Requests of `pagespan tail` and other commands. Their spans would be in the output of `tail`, which then never ends. */
function isOwnCommand(request: IncomingMessage): boolean {
  return request.headers["user-agent"] === COMMAND_USER_AGENT
}

function untraced(serve: () => void): void {
  context.with(suppressTracing(context.active()), serve)
}

const SPOTLIGHT_ENVELOPE = /^\/envelope\/(?<id>[0-9a-f-]{36})$/

/**
 * Routes the requests of Spotlight's port: the endpoints of its sidecar, for SDKs with `spotlight: true` and for
 * Spotlight's own clients. All other requests are redirected to the screens.
 */
export function createSpotlightRouter(inspector: Inspector, screensUrl: string): RequestListener {
  const { receiver } = inspector
  const { spotlight } = receiver
  const findHandler = handlersFor(receiver)
  const clear = requestListener((request) => spotlight.clear(request))
  const health = requestListener((request) => spotlight.health(request))
  const others = requestListener((request) => receiver.guardHost(request) ?? Response.redirect(screensUrl, 302))
  const agents = mcpListener(inspector)
  return (request, response) => {
    const path = pathOf(request)
    if (path === "/health") return health(request, response)
    if (path === "/clear") return clear(request, response)
    if (path === "/mcp") return agents(request, response)
    const id = SPOTLIGHT_ENVELOPE.exec(path)?.groups?.["id"]
    if (id !== undefined) return requestListener((incoming) => spotlight.envelope(incoming, id))(request, response)
    return (findHandler(path) ?? others)(request, response)
  }
}

function starting(): Response {
  return plainPage({
    status: 503,
    title: "Pagespan",
    body: "<p>Pagespan is starting.</p>",
    refreshSeconds: 1,
    headers: { "retry-after": "1" },
  })
}
