import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { type BodySource, type HandlerRequest, PLACEHOLDER_ORIGIN } from "../../protocol/transport/request.ts"
import { WholeResponse } from "../../protocol/transport/responses.ts"

/** A request of `node:http` as the handlers read it. Nothing of its body is read before a handler asks for it. */
export class NodeRequest implements HandlerRequest {
  readonly method: string
  readonly url: string
  readonly body: BodySource | null
  readonly headers: Pick<Headers, "get">
  #gone: AbortController | undefined

  constructor(
    incoming: IncomingMessage,
    private readonly outgoing: ServerResponse,
  ) {
    const { method = "GET", url = "/" } = incoming
    this.method = method
    this.url = `${PLACEHOLDER_ORIGIN}${url.startsWith("/") ? url : "/"}`
    this.body = method === "GET" || method === "HEAD" ? null : new NodeBody(incoming)
    this.headers = { get: (name) => headerOf(incoming.rawHeaders, name) }
  }

  get signal(): AbortSignal {
    if (this.#gone === undefined) {
      const gone = new AbortController()
      this.#gone = gone
      if (this.outgoing.destroyed) gone.abort()
      else this.outgoing.once("close", () => gone.abort())
    }
    return this.#gone.signal
  }
}

/** All values of the header, as `Headers` joins them: of two hosts Node would keep the first, and say nothing. */
function headerOf(rawHeaders: readonly string[], name: string): string | null {
  let values: string | null = null
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const header = rawHeaders[index] ?? ""
    if (header.length !== name.length || header.toLowerCase() !== name) continue
    const value = rawHeaders[index + 1] ?? ""
    values = values === null ? value : `${values}, ${value}`
  }
  return values
}

class NodeBody implements BodySource {
  #stop: () => void = () => undefined

  constructor(private readonly incoming: IncomingMessage) {}

  read(take: (chunk: Uint8Array) => boolean): Promise<void> {
    const { incoming } = this
    return new Promise((resolve, reject) => {
      this.#stop = () => {
        incoming.removeAllListeners("data")
        incoming.pause()
        resolve()
      }
      incoming.on("data", (chunk: Buffer) => {
        if (!take(chunk)) this.#stop()
      })
      incoming.on("end", resolve)
      incoming.on("error", reject)
      // After an end or an error this does nothing.
      incoming.on("close", () => reject(new Error("the connection has ended")))
    })
  }

  stop(): void {
    this.#stop()
  }
}

/** After an answer to a body that was not read to its end, the client gets this long to read the answer. */
const LINGER_MS = 500

/**
 * Serves a Fetch handler on `node:http`. The body is handed on chunk by chunk, only as fast as the handler reads it. A
 * body that the handler stops reading ends the connection, but not before the client could read why.
 */
export function requestListener(handle: (request: HandlerRequest) => Promise<Response> | Response): RequestListener {
  return (incoming, outgoing) => {
    void serve(handle, incoming, outgoing)
  }
}

async function serve(
  handle: (request: HandlerRequest) => Promise<Response> | Response,
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
