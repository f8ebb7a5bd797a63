import type { IncomingMessage, ServerResponse } from "node:http"
import type { BodySource, DoorRequest } from "../receive/index.ts"

/** A request of `node:http` as the doors read it. Nothing of its body is read before a door asks for it. */
export class NodeRequest implements DoorRequest {
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
    this.url = `http://server.invalid${url.startsWith("/") ? url : "/"}`
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
