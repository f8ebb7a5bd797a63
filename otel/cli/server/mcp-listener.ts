import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
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
      const { mcpHandler } = await import("../../inspector/mcp/mcp-handler.ts")
      return mcpHandler(inspector, fetchRequest(incoming, outgoing), version())
    })
    answer(incoming, outgoing)
  }
}

function fetchRequest(incoming: IncomingMessage, outgoing: ServerResponse): Request {
  const { method = "GET", headersDistinct } = incoming
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(headersDistinct))
    for (const value of values) headers.append(name, value)
  const body = method === "GET" || method === "HEAD" ? null : unreadBody(incoming, outgoing)
  return new Request(`${PLACEHOLDER_ORIGIN}/mcp`, { method, headers, body, duplex: "half" } as RequestInit)
}

/** The body of a request, which the client is asked for, and of which nothing is read, before the first read of the stream. */
function unreadBody(incoming: IncomingMessage, outgoing: ServerResponse): ReadableStream<Uint8Array> {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        askForBody(incoming, outgoing)
        reader ??= (Readable.toWeb(incoming) as ReadableStream<Uint8Array>).getReader()
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: (reason) => reader?.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
