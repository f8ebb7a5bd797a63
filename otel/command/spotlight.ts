import type { RequestListener } from "node:http"
import type { Inspector } from "../inspector/inspector.ts"
import { agentsListener } from "./agents.ts"
import { doorsOf, pathOf } from "./doors.ts"
import { requestListener } from "./request-listener.ts"

const ENVELOPE = /^\/envelope\/(?<id>[0-9a-f-]{36})$/

/**
 * What Spotlight's own port answers: its sidecar's doors, for SDKs with `spotlight: true` and for its readers. Everything
 * else is on Pagespan's own port, to which pages are sent.
 */
export function createSpotlightFront(inspector: Inspector, screensUrl: string): RequestListener {
  const { receiver } = inspector
  const { spotlight } = receiver
  const findDoor = doorsOf(receiver)
  const clear = requestListener((request) => spotlight.clear(request))
  const health = requestListener((request) => spotlight.health(request))
  const others = requestListener((request) => receiver.guardHost(request) ?? Response.redirect(screensUrl, 302))
  const agents = agentsListener(inspector)
  return (request, response) => {
    const path = pathOf(request)
    if (path === "/health") return health(request, response)
    if (path === "/clear") return clear(request, response)
    if (path === "/mcp") return agents(request, response)
    const id = ENVELOPE.exec(path)?.groups?.["id"]
    if (id !== undefined) return requestListener((asked) => spotlight.envelope(asked, id))(request, response)
    return (findDoor(path) ?? others)(request, response)
  }
}
