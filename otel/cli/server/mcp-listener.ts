import type { IncomingMessage, RequestListener } from "node:http"
import { Readable } from "node:stream"
import type { Inspector } from "../../inspector/inspector.ts"
import { PLACEHOLDER_ORIGIN } from "../../protocol/transport/request.ts"
import { version } from "../version.ts"
import { askForBody, requestListener } from "./request-listener.ts"

/**
 * Serves MCP. Both ports serve it, since MCP clients follow no redirect from Spotlight's port. The first request loads the
 * module.
 */
export function mcpListener(inspector: Inspector): RequestListener {
  return (incoming, outgoing) => {
    const answer = requestListener(async () => {
      askForBody(incoming, outgoing)
      const { mcpHandler } = await import("../../inspector/mcp/mcp-handler.ts")
      return mcpHandler(inspector, fetchRequest(incoming), version())
    })
    answer(incoming, outgoing)
  }
}

function fetchRequest(incoming: IncomingMessage): Request {
  const { method = "GET", headersDistinct } = incoming
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(headersDistinct))
    for (const value of values) headers.append(name, value)
  const body = method === "GET" || method === "HEAD" ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array>)
  return new Request(`${PLACEHOLDER_ORIGIN}/mcp`, { method, headers, body, duplex: "half" } as RequestInit)
}
