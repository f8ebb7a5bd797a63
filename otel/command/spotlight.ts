import type { RequestListener } from "node:http"
import type { Receiver } from "../receive/index.ts"
import { doorsOf, pathOf } from "./doors.ts"
import { requestListener } from "./request-listener.ts"

const ENVELOPE = /^\/envelope\/(?<id>[0-9a-f-]{36})$/

/**
 * What Spotlight's own port answers: its sidecar's doors, for SDKs with `spotlight: true` and for its readers. Everything
 * else is on Pagespan's own port, to which pages are sent.
 */
export function createSpotlightFront(receiver: Receiver, screensUrl: string): RequestListener {
  const { spotlight } = receiver
  const findDoor = doorsOf(receiver)
  const clear = requestListener((request) => spotlight.clear(request))
  const health = requestListener((request) => spotlight.health(request))
  const others = requestListener((request) => receiver.guardHost(request) ?? Response.redirect(screensUrl, 302))
  return (request, response) => {
    const path = pathOf(request)
    if (path === "/health") return health(request, response)
    if (path === "/clear") return clear(request, response)
    const id = ENVELOPE.exec(path)?.groups?.["id"]
    if (id !== undefined) return requestListener((asked) => spotlight.envelope(asked, id))(request, response)
    return (findDoor(path) ?? others)(request, response)
  }
}
