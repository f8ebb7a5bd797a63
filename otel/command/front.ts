import type { RequestListener } from "node:http"
import type { Inspector } from "../inspector/inspector.ts"
import { READING_HEADER } from "../inspector/readings.ts"
import { agentsListener } from "./agents.ts"
import { secureScreen } from "./content-security.ts"
import { doorsOf, pathOf } from "./doors.ts"
import { NodeRequest } from "./node-request.ts"
import { requestListener } from "./request-listener.ts"
import { refuseForScreens } from "./screen-requests.ts"

/**
 * What answers first. The doors are answered here, by the same functions as in the route files, so that they are open
 * before the screens are ready and do not pay for Next; everything else is the screens'.
 */
export function createFront(inspector: Inspector, screens: () => RequestListener | undefined): RequestListener {
  const { receiver, readings } = inspector
  const findDoor = doorsOf(receiver)
  const agents = agentsListener(inspector)
  return (request, response) => {
    const path = pathOf(request)
    const door = findDoor(path)
    if (door !== undefined) return door(request, response)
    if (path === "/mcp") return agents(request, response)
    const refusal = receiver.guardHost(hostOnly(request.headers.host))
    if (refusal !== undefined) return requestListener(() => refusal)(request, response)
    const unseen = receiver.signIn.guard(new NodeRequest(request, response))
    if (unseen !== undefined) return requestListener(() => unseen)(request, response)
    secureScreen(request, response, path)
    const misdirected = refuseForScreens(path, request.method)
    if (misdirected !== undefined) return requestListener(() => misdirected)(request, response)
    request.headers[READING_HEADER] = readings.begin(response)
    const serve = screens() ?? requestListener(starting)
    return serve(request, response)
  }
}

function hostOnly(host: string | undefined): Request {
  return new Request("http://server.invalid/", { headers: host === undefined ? {} : { host } })
}

function starting(): Response {
  const page = `<!doctype html><meta http-equiv="refresh" content="1"><title>Pagespan</title><p>Pagespan is starting.</p>`
  return new Response(page, {
    status: 503,
    headers: { "content-type": "text/html; charset=utf-8", "retry-after": "1", "cache-control": "no-store" },
  })
}
