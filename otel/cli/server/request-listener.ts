import { once } from "node:events"
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { type BodySource, type HandlerRequest, PLACEHOLDER_ORIGIN } from "../../protocol/transport/request.ts"
import { WholeResponse } from "../../protocol/transport/responses.ts"

/** A `node:http` request in the form that the handlers read. The body is not read before a handler reads it. */
export class NodeRequest implements HandlerRequest {
  readonly method: string
  readonly url: string
  readonly body: BodySource | null
  readonly headers: Pick<Headers, "get">
  readonly address: string | undefined
  #gone: AbortController | undefined

  constructor(
    private readonly incoming: IncomingMessage,
    private readonly outgoing: ServerResponse,
  ) {
    const { method = "GET", url = "/" } = incoming
    this.method = method
    this.url = `${PLACEHOLDER_ORIGIN}${url.startsWith("/") ? url : "/"}`
    this.body = method === "GET" || method === "HEAD" ? null : new NodeBody(incoming, outgoing)
    this.headers = { get: (name) => headerOf(incoming.rawHeaders, name) }
    this.address = incoming.socket.remoteAddress
  }

  get signal(): AbortSignal {
    if (this.#gone === undefined) {
      const gone = new AbortController()
      this.#gone = gone
      onClose(this.incoming, this.outgoing, () => gone.abort())
    }
    return this.#gone.signal
  }
}

/**
 * Calls the listener once the response has been sent, or its client has disconnected. A response that waits behind another
 * one on its connection does not emit `close` if the connection ends.
 */
function onClose({ socket }: IncomingMessage, outgoing: ServerResponse, listener: () => void): void {
  if (outgoing.destroyed || socket.destroyed) return listener()
  const close = () => {
    socket.off("close", close)
    outgoing.off("close", close)
    listener()
  }
  // One for each response that waits on the connection. Node limits those.
  socket.setMaxListeners(0).on("close", close)
  outgoing.on("close", close)
}

/** All values of a header, joined as in `Headers`. Node's own `headers` drop the second of two `Host` headers. */
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
  #settle: ((error?: Error) => void) | undefined

  constructor(
    private readonly incoming: IncomingMessage,
    private readonly outgoing: ServerResponse,
  ) {}

  read(take: (chunk: Uint8Array) => boolean): Promise<void> {
    const { incoming } = this
    if (incoming.readableEnded) return Promise.resolve()
    if (incoming.destroyed) return Promise.reject(disconnected())
    askForBody(incoming, this.outgoing)
    return new Promise((resolve, reject) => {
      const onData = (chunk: Buffer) => {
        if (!take(chunk)) this.stop()
      }
      const onEnd = () => settle()
      const onClose = () => settle(disconnected())
      const settle = (error?: Error) => {
        incoming.off("data", onData).off("end", onEnd).off("error", settle).off("close", onClose)
        if (error === undefined) resolve()
        else reject(error)
      }
      this.#settle = settle
      incoming.on("data", onData).on("end", onEnd).on("error", settle).on("close", onClose)
      // An earlier `stop` has paused it.
      incoming.resume()
    })
  }

  stop(): void {
    this.incoming.pause()
    this.#settle?.()
  }
}

const continued = new WeakSet<IncomingMessage>()

/** Asks a client that waits for it (`Expect: 100-continue`) to send the body. One that is refused first sends none. */
export function askForBody(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (incoming.headers.expect?.toLowerCase() !== "100-continue" || continued.has(incoming)) return
  continued.add(incoming)
  outgoing.writeContinue()
}

function disconnected(): Error {
  return new Error("the client closed the connection")
}

/** The time that a client has to read the response to a body which was not read completely, and what it may send until then. */
const LINGER_MS = 500
const LINGER_BYTES = 1024 * 1024

/**
 * Serves a handler that returns a `Response` on `node:http`. The handler reads the body in chunks, with backpressure. If it
 * stops reading, the connection ends after `LINGER_MS`, so that the client can read the response.
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
    // Without `connection: close`, since Node would then close the socket before the client has read the response.
    if (response instanceof WholeResponse) sendWhole(response, outgoing)
    else await sendStream(response, incoming, outgoing)
  } catch {
    // The client disconnected during the request.
    if (!outgoing.headersSent) outgoing.writeHead(400, { connection: "close" })
    outgoing.end()
  }
}

/** Discards the body until the client has had time to read the response, then ends the connection. */
function endAfter(incoming: IncomingMessage, outgoing: ServerResponse): void {
  let left = LINGER_BYTES
  // Node reads and discards the body of a request without a listener, however much comes.
  incoming.on("data", (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) incoming.pause()
  })
  incoming.resume()
  outgoing.on("finish", () => setTimeout(() => incoming.destroy(), LINGER_MS).unref())
}

/** Sends head and body in one write. */
function sendWhole({ status, whole, wholeHeaders }: WholeResponse, outgoing: ServerResponse): void {
  outgoing.writeHead(status, { ...wholeHeaders, "content-length": Buffer.byteLength(whole) })
  outgoing.end(whole)
}

async function sendStream(response: Response, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  const reader = response.body?.getReader()
  const closed = new Promise<void>((resolve) => onClose(incoming, outgoing, resolve))
  // Cancels the stream if the client disconnected. After the end of the stream this has no effect.
  void closed.then(() => reader?.cancel()).catch(() => undefined)
  outgoing.flushHeaders()
  for (;;) {
    const chunk = await reader?.read()
    if (chunk === undefined || chunk.done) break
    if (!outgoing.write(chunk.value)) await Promise.race([closed, once(outgoing, "drain")])
  }
  outgoing.end()
}
