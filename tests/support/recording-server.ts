import { createServer, type IncomingHttpHeaders, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { gunzipSync } from "node:zlib"

/** A request that the product sent, with its body decompressed. */
export interface RecordedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface Answer {
  status: number
  headers?: Record<string, string>
  body?: string
}

/** A server on loopback that records every request and sends the configured answer. */
export class RecordingServer {
  readonly requests: RecordedRequest[] = []
  answer: Answer = { status: 200, body: "{}" }
  readonly #server: Server

  constructor() {
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const raw = Buffer.concat(chunks)
      const body = request.headers["content-encoding"] === "gzip" ? gunzipSync(raw) : raw
      const { method = "", url = "", headers } = request
      if (method !== "OPTIONS") this.requests.push({ method, path: url, headers, body })
      // Pages under test have another origin.
      const cors = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" }
      response.writeHead(this.answer.status, { "content-type": "application/json", ...cors, ...this.answer.headers })
      response.end(this.answer.body ?? "{}")
    })
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve))
    return this
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  clear(): void {
    this.requests.length = 0
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
