import { type IncomingHttpHeaders, request } from "node:http"

export interface PlainRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string | undefined
}

export interface PlainAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Empty for an event stream, which has no end. */
  readonly body: Buffer
}

/** Sends a request with exactly this path and `Host`, which `fetch` does not allow. */
export function ask(origin: string, path: string, { method = "GET", headers = {}, body }: PlainRequest = {}) {
  const { hostname, port } = new URL(origin)
  return new Promise<PlainAnswer>((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers: { host: `${hostname}:${port}`, ...headers } })
    sent.on("error", reject)
    sent.on("response", (response) => {
      const { statusCode: status = 0, headers } = response
      const isStream = headers["content-type"]?.startsWith("text/event-stream") === true
      const chunks: Buffer[] = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("error", reject)
      const done = () => resolve({ status, headers, body: Buffer.concat(chunks) })
      if (!isStream) return response.on("end", done)
      done()
      return sent.destroy()
    })
    sent.end(body)
  })
}
