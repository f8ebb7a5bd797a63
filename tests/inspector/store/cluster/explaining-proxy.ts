import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { gunzipSync } from "node:zlib"
import { ask } from "./balancer.ts"

/** What the engine's analyser says about one statement. */
export interface Explained {
  readonly sql: string
  /** `undefined` if it accepts the statement. */
  readonly problem: string | undefined
}

/** The analyser has accepted a statement that then finds the other shard missing. */
const NO_SHARD = /^Code: 279\./

/** A proxy in front of a node that lets another node explain each query first. */
export class ExplainingProxy {
  readonly explained: Explained[] = []
  readonly #server: Server

  private constructor(node: number, explainingNode: number) {
    this.#server = createServer(async (request, response) => {
      try {
        const sent = Buffer.concat(await request.toArray())
        const { "content-encoding": encoding, ...headers } = request.headers
        const body = encoding === "gzip" ? gunzipSync(sent) : sent
        const forwarded = { method: request.method, url: request.url, headers }
        const inAddress = new URL(request.url ?? "/", "http://proxy").searchParams.has("query")
        const explaining = inAddress ? undefined : explain(body.toString("latin1"))
        if (explaining !== undefined) {
          const answer = await ask(explainingNode, forwarded, Buffer.from(explaining, "latin1"))
          const text = answer.body.toString()
          const isAccepted = answer.status === 200 || NO_SHARD.test(text)
          this.explained.push({ sql: explaining, problem: isAccepted ? undefined : text.slice(0, 500) })
        }
        const answer = await ask(node, forwarded, body)
        const { "transfer-encoding": _chunked, ...rest } = answer.headers
        response.writeHead(answer.status, { ...rest, "content-length": String(answer.body.length) }).end(answer.body)
      } catch {
        response.destroy()
      }
    })
  }

  static async listen(node: number, explainingNode: number): Promise<ExplainingProxy> {
    const proxy = new ExplainingProxy(node, explainingNode)
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve))
    return proxy
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

/** The body of a request that asks for the plan of its query; `undefined` if it is no query. */
function explain(body: string): string | undefined {
  // With many parameters the query is one part of a form.
  const explained = body.replace(/(^|name="query"\r\n\r\n)\s*(?=(?:SELECT|WITH)\b)/, "$1EXPLAIN ")
  // A plan has more rows than the answer may have.
  return explained === body ? undefined : explained.replace(/max_result_rows = \d+/, "max_result_rows = 0")
}
