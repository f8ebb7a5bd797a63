import type { RequestListener } from "node:http"
import type { Inspector } from "../../inspector/inspector.ts"
import { mcpListener } from "./mcp-listener.ts"
import { requestListener } from "./request-listener.ts"
import { handlersFor, pathOf } from "./router.ts"

const ENVELOPE = /^\/envelope\/(?<id>[0-9a-f-]{36})$/

/**
 * What Spotlight's own port answers: its sidecar's handlers, for SDKs with `spotlight: true` and for its readers. Everything
 * else is on Pagespan's own port, to which pages are sent.
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
    const id = ENVELOPE.exec(path)?.groups?.["id"]
    if (id !== undefined) return requestListener((asked) => spotlight.envelope(asked, id))(request, response)
    return (findHandler(path) ?? others)(request, response)
  }
}
