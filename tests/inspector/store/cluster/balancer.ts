import { createServer, type IncomingMessage, request as requestTo, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { gunzipSync } from "node:zlib"

/**
 * A load balancer in front of store processes that stand for the replicas of a cluster. They do not replicate, so the
 * balancer does: what is inserted through one reaches all. Everything else goes to one replica after the other. Each
 * statement may meet a fault, as in a real cluster.
 */

/** What goes wrong with one statement. */
export type Fault =
  /** The connection is reset before the statement has run. */
  | { readonly kind: "reset" }
  /** The statement has run on every replica, and the connection is reset instead of an answer. */
  | { readonly kind: "no-answer" }
  /** One replica has the rows and fails before it confirms that the others do. */
  | { readonly kind: "one-replica" }
  /** The answer comes after a while. */
  | { readonly kind: "late"; readonly ms: number }
  /** Half of the answer arrives. */
  | { readonly kind: "cut" }
  /** The balancer has no replica to ask. */
  | { readonly kind: "bad-gateway" }
  /** ClickHouse answers with an error. The statement has not run. */
  | { readonly kind: "error"; readonly code: number; readonly message: string }

export const TOO_MANY_PARTS: Fault = {
  kind: "error",
  code: 252,
  message: "Too many parts (3000). Merges are processing significantly slower than inserts. (TOO_MANY_PARTS)",
}
export const TABLE_IS_READ_ONLY: Fault = {
  kind: "error",
  code: 242,
  message: "Table is in readonly mode since table metadata was not found in zookeeper. (TABLE_IS_READ_ONLY)",
}
const UNKNOWN_STATUS_OF_INSERT: Extract<Fault, { kind: "error" }> = {
  kind: "error",
  code: 319,
  message: "Unknown quorum status. The data was inserted in the local replica. (UNKNOWN_STATUS_OF_INSERT)",
}

export interface StatementAt {
  readonly sql: string
  /** Position of the replica that would run it. */
  readonly replica: number
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage["headers"]
  readonly body: Buffer
}

const REPLICATED = /^INSERT INTO (?!pagespan_probe)/

export class Balancer {
  /** Decides what goes wrong with a statement. Default: nothing. */
  fault: (statement: StatementAt) => Fault | undefined = () => undefined
  readonly #server: Server
  readonly #ports: readonly number[]
  #turn = 0

  private constructor(ports: readonly number[]) {
    this.#ports = ports
    this.#server = createServer((request, response) => {
      // A client that has gone needs no answer.
      void this.#handle(request, response).catch(() => response.destroy())
    })
  }

  static async listen(ports: readonly number[]): Promise<Balancer> {
    const balancer = new Balancer(ports)
    await new Promise<void>((resolve) => balancer.#server.listen(0, "127.0.0.1", resolve))
    return balancer
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray())
    const statement = { sql: sqlOf(request, body), replica: this.#turn++ % this.#ports.length }
    const fault = this.fault(statement)
    if (fault?.kind === "reset") return void request.socket.destroy()
    if (fault?.kind === "bad-gateway")
      return void response.writeHead(502, { "content-type": "text/html" }).end("<h1>502 Bad Gateway</h1>")
    if (fault?.kind === "error") return answerError(response, fault)
    const [first, ...others] = this.#replicasFor(statement, fault)
    const answer = await ask(first ?? 0, request, body)
    for (const port of others) await ask(port, request, body)
    if (fault?.kind === "one-replica") return answerError(response, UNKNOWN_STATUS_OF_INSERT)
    if (fault?.kind === "no-answer") return void request.socket.destroy()
    if (fault?.kind === "late") await new Promise((resolve) => setTimeout(resolve, fault.ms))
    const { "transfer-encoding": _chunked, ...headers } = answer.headers
    response.writeHead(answer.status, { ...headers, "content-length": String(answer.body.length) })
    if (fault?.kind !== "cut") return void response.end(answer.body)
    response.write(answer.body.subarray(0, answer.body.length >> 1), () => request.socket.destroy())
  }

  #replicasFor({ sql, replica }: StatementAt, fault: Fault | undefined): readonly number[] {
    const turned = [...this.#ports.slice(replica), ...this.#ports.slice(0, replica)]
    return REPLICATED.test(sql) && fault?.kind !== "one-replica" ? turned : turned.slice(0, 1)
  }
}

/** The statement is in the address if rows are in the body. */
function sqlOf(request: IncomingMessage, body: Buffer): string {
  const inAddress = new URL(request.url ?? "/", "http://balancer").searchParams.get("query")
  if (inAddress !== null) return inAddress.trim()
  return (request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body).toString().trim()
}

function answerError(response: ServerResponse, { code, message }: Extract<Fault, { kind: "error" }>): void {
  response
    .writeHead(500, { "x-clickhouse-exception-code": String(code), "content-type": "text/plain" })
    .end(`Code: ${code}. DB::Exception: ${message}\n`)
}

/** Forwards a request. */
export function ask(
  port: number,
  { method, url, headers }: Pick<IncomingMessage, "method" | "url" | "headers">,
  body: Buffer,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { "transfer-encoding": _chunked, ...rest } = headers
    const onward = requestTo(
      { host: "127.0.0.1", port, method, path: url, headers: { ...rest, "content-length": String(body.length) } },
      (answer) =>
        void answer
          .toArray()
          .then(
            (chunks) =>
              resolve({ status: answer.statusCode ?? 500, headers: answer.headers, body: Buffer.concat(chunks) }),
            reject,
          ),
    )
    onward.on("error", reject).end(body)
  })
}
