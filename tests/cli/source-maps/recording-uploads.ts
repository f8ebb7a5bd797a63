import { createHash } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { gunzipSync } from "node:zlib"

export interface ApiRequest {
  readonly method: string
  readonly path: string
  readonly authorization: string | undefined
  readonly contentType: string
  readonly body: Buffer
}

/** Replaces the API of a Sentry to which source maps are uploaded. It has the chunks that it was sent. */
export class RecordingUploads {
  readonly requests: ApiRequest[] = []
  readonly chunks = new Map<string, Buffer>()
  /** Sizes are small, so that a small bundle has several chunks and requests. */
  readonly options = {
    url: "/api/0/organizations/acme/chunk-upload/",
    chunkSize: 1_024,
    chunksPerRequest: 2,
    maxRequestSize: 4_096,
    maxFileSize: 10_000_000,
    concurrency: 1,
    hashAlgorithm: "sha1",
    compression: ["gzip"] as string[],
    accept: ["debug_files", "artifact_bundles", "artifact_bundles_v2"],
  }
  /** Statuses of the next requests, in order, instead of an answer. */
  readonly failures: number[] = []
  /** `Retry-After` of the failures. */
  retryAfter: string | undefined
  readonly #server: Server = createServer((request, response) => void this.#answer(request, response))

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve))
    return this
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** The parsed bodies of requests to a path. */
  sent(end: string): Record<string, unknown>[] {
    const found = this.requests.filter(({ method, path }) => method === "POST" && path.endsWith(end))
    return found.map(({ body }) => JSON.parse(body.toString()) as Record<string, unknown>)
  }

  /** The bundle that the last assembly names, of the chunks that arrived. */
  bundle(): Buffer {
    const { chunks } = this.sent("/artifactbundle/assemble/").at(-1) as { chunks: string[] }
    return Buffer.concat(chunks.map((checksum) => this.chunks.get(checksum)!))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const received: Buffer[] = []
    for await (const chunk of request) received.push(chunk as Buffer)
    const { method = "", url: path = "", headers } = request
    const contentType = headers["content-type"] ?? ""
    const body = Buffer.concat(received)
    this.requests.push({ method, path, authorization: headers.authorization, contentType, body })
    const failure = this.failures.shift()
    const answer = failure === undefined ? await this.#answerTo(method, path, contentType, body) : { detail: "no" }
    if (failure !== undefined && this.retryAfter !== undefined) response.setHeader("retry-after", this.retryAfter)
    response.writeHead(failure ?? 200, { "content-type": "application/json" }).end(JSON.stringify(answer))
  }

  async #answerTo(method: string, path: string, contentType: string, body: Buffer): Promise<object> {
    if (path.endsWith("/chunk-upload/") && method === "GET") return this.options
    if (path.endsWith("/chunk-upload/")) await this.#store(contentType, body)
    if (!path.endsWith("/artifactbundle/assemble/")) return {}
    const { chunks } = JSON.parse(body.toString()) as { chunks: string[] }
    const missingChunks = chunks.filter((checksum) => !this.chunks.has(checksum))
    return { state: missingChunks.length === 0 ? "ok" : "not_found", missingChunks }
  }

  async #store(contentType: string, body: Buffer): Promise<void> {
    const form = await new Response(new Uint8Array(body), { headers: { "content-type": contentType } }).formData()
    for (const [name, part] of form) {
      const { name: checksum } = part as File
      const bytes = Buffer.from(await (part as File).arrayBuffer())
      const content = name === "file_gzip" ? gunzipSync(bytes) : bytes
      if (createHash("sha1").update(content).digest("hex") !== checksum)
        throw new Error(`${checksum} is not the checksum`)
      this.chunks.set(checksum, content)
    }
  }
}
