import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { type DoorRequest, WholeResponse } from "../receive/index.ts"
import { NodeRequest } from "./node-request.ts"

/** After an answer to a body that was not read to its end, the client gets this long to read the answer. */
const LINGER_MS = 500

/**
 * Serves a Fetch handler on `node:http`. The body is handed on chunk by chunk, only as fast as the handler reads it. A
 * body that the handler stops reading ends the connection, but not before the client could read why.
 */
export function requestListener(handle: (request: DoorRequest) => Promise<Response> | Response): RequestListener {
  return (incoming, outgoing) => {
    void serve(handle, incoming, outgoing)
  }
}

async function serve(
  handle: (request: DoorRequest) => Promise<Response> | Response,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  try {
    const response = await handle(new NodeRequest(incoming, outgoing))
    if (!incoming.complete && incoming.method !== "GET" && incoming.method !== "HEAD") endAfter(incoming, outgoing)
    // No `connection: close` of ours: Node would then drop the socket at once, and with it the answer.
    if (response instanceof WholeResponse) sendWhole(response, outgoing)
    else await sendStream(response, outgoing)
  } catch {
    // The client has gone in the middle: there is nobody to tell.
    if (!outgoing.headersSent) outgoing.writeHead(400, { connection: "close" })
    outgoing.end()
  }
}

/** For a body of which nobody reads the rest. */
function endAfter(incoming: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.on("finish", () => {
    incoming.removeAllListeners("data")
    incoming.resume()
    setTimeout(() => incoming.destroy(), LINGER_MS).unref()
  })
}

/** Head and body in one write. */
function sendWhole({ status, whole, wholeHeaders }: WholeResponse, outgoing: ServerResponse): void {
  outgoing.writeHead(status, { ...wholeHeaders, "content-length": Buffer.byteLength(whole) })
  outgoing.end(whole)
}

async function sendStream(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  const reader = response.body?.getReader()
  outgoing.on("close", () => {
    // Ends a stream that nobody reads any more; one that has ended already is not harmed.
    reader?.cancel().catch(() => undefined)
  })
  outgoing.flushHeaders()
  for (;;) {
    const chunk = await reader?.read()
    if (chunk === undefined || chunk.done) break
    if (!outgoing.write(chunk.value)) await new Promise((resolve) => outgoing.once("drain", resolve))
  }
  outgoing.end()
}
