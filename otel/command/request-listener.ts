import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"

/** After an answer to a body that was not read to its end, the client gets this long to read the answer. */
const LINGER_MS = 500

/**
 * Serves a Fetch handler on `node:http`. The body is handed on chunk by chunk, only as fast as the handler reads it. A
 * body that the handler stops reading ends the connection, but not before the client could read why.
 */
export function requestListener(handle: (request: Request) => Promise<Response> | Response): RequestListener {
  return (incoming, outgoing) => {
    void serve(handle, incoming, outgoing)
  }
}

async function serve(
  handle: (request: Request) => Promise<Response> | Response,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const gone = new AbortController()
  outgoing.on("close", () => gone.abort())
  try {
    await send(await handle(toRequest(incoming, gone.signal)), incoming, outgoing)
  } catch {
    // No such request can be made (an unknown method, a broken target), or the client has gone: there is nobody to tell.
    if (!outgoing.headersSent) outgoing.writeHead(400, { connection: "close" })
    outgoing.end()
  }
}

function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers()
  for (let index = 0; index < incoming.rawHeaders.length; index += 2)
    headers.append(incoming.rawHeaders[index] ?? "", incoming.rawHeaders[index + 1] ?? "")
  const method = incoming.method ?? "GET"
  const hasBody = method !== "GET" && method !== "HEAD"
  const path = incoming.url?.startsWith("/") ? incoming.url : "/"
  return new Request(`http://server.invalid${path}`, {
    method,
    headers,
    signal,
    ...(hasBody && { body: bodyStream(incoming), duplex: "half" }),
  })
}

function bodyStream(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        incoming.pause()
        incoming.on("data", (chunk: Buffer) => {
          controller.enqueue(new Uint8Array(chunk))
          incoming.pause()
        })
        incoming.on("end", () => controller.close())
        incoming.on("error", (error) => controller.error(error))
      },
      pull() {
        incoming.resume()
      },
      cancel() {
        incoming.removeAllListeners("data")
        incoming.removeAllListeners("end")
        incoming.pause()
      },
    },
    { highWaterMark: 0 },
  )
}

async function send(response: Response, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const isCut = !incoming.complete && incoming.method !== "GET" && incoming.method !== "HEAD"
  if (isCut) {
    outgoing.on("finish", () => {
      incoming.removeAllListeners("data")
      incoming.resume()
      setTimeout(() => incoming.destroy(), LINGER_MS).unref()
    })
  }
  // No `connection: close` of ours: Node would then drop the socket at once, and with it the answer.
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
