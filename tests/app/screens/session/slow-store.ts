import type { ChildProcess } from "node:child_process"
import { createServer, request as requestTo, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout } from "node:timers/promises"
import { gunzipSync, gzipSync } from "node:zlib"
import type { ClickHouseClient } from "@clickhouse/client"
import { removeDirectory, temporaryDirectory } from "#tests/inspector/store/directories.ts"
import { clientOf, forkStore, portOf, stop, TOKEN } from "#tests/inspector/store/process/processes.ts"

/** Every statement for a filter with this text is replaced by one that never ends. */
export const SLOW = "sleepy"
/** The same for a trace and an issue. */
export const SLOW_ID = "51ee".repeat(8)
/** The same for drops with this reason. */
export const SLOW_REASON = "queue_overflow"
/** A statement for a filter with this text fails after a wait. */
export const BROKEN = "broken"
const FAILING = "SELECT throwIf(1)"
const ENDLESS =
  "SELECT count() FROM numbers(1000000000000) WHERE NOT ignore(sipHash64(number)) SETTINGS max_threads = 1"

/** A real store of its own behind a proxy that replaces some statements by slow ones, and delays others. */
export class SlowStore {
  /** The number of running slow statements. */
  slowStatements = 0
  /** What a statement that fails waits for. */
  broken = Promise.resolve()
  /** Statements with `text` wait so long. */
  late = { text: "", waitMs: 0 }
  readonly #directory: string
  readonly #process: ChildProcess
  readonly #client: ClickHouseClient
  readonly #proxy: Server

  private constructor(directory: string, store: ChildProcess, port: number) {
    this.#directory = directory
    this.#process = store
    this.#client = clientOf(port)
    this.#proxy = slowProxy(port, this)
  }

  static async start(): Promise<SlowStore> {
    const directory = temporaryDirectory()
    const store = forkStore()
    const slow = new SlowStore(directory, store, await portOf(store, directory))
    await new Promise<void>((resolve) => slow.#proxy.listen(0, "127.0.0.1", resolve))
    return slow
  }

  /** `CLICKHOUSE_URL` of the inspector. */
  get url(): string {
    return `http://default:${encodeURIComponent(TOKEN)}@127.0.0.1:${(this.#proxy.address() as AddressInfo).port}`
  }

  async hasTraces(): Promise<boolean> {
    return Number(await this.#text("SELECT count() FROM pagespan_starts")) > 0
  }

  /** The number of running statements, from the engine. It has three connections for queries, and this query needs one. */
  async running(): Promise<number> {
    return Number(await this.#text("SELECT count() FROM system.processes WHERE query LIKE '%sipHash' || '64%'"))
  }

  async stop(): Promise<void> {
    this.#proxy.closeAllConnections()
    this.#proxy.close()
    await this.#client.close()
    await stop(this.#process)
    removeDirectory(this.#directory)
  }

  async #text(query: string): Promise<string> {
    return (await this.#client.query({ query, format: "TabSeparated" })).text()
  }
}

/** A proxy to the store process. If the client disconnects, so does the proxy. */
function slowProxy(to: number, slow: SlowStore): Server {
  return createServer(async (request, response) => {
    const sent = Buffer.concat(await request.toArray())
    const isGzip = request.headers["content-encoding"] === "gzip"
    const form = (isGzip ? gunzipSync(sent) : sent).toString("latin1")
    // Parameters are in the URL, or in a form if they are long.
    const statementText = `${decodeURIComponent(request.url ?? "")} ${form}`
    const isSlow = [SLOW, SLOW_ID, SLOW_REASON].some((text) => statementText.includes(text))
    const isBroken = statementText.includes(BROKEN)
    if (isBroken) await slow.broken
    if (slow.late.waitMs > 0 && statementText.includes(slow.late.text)) await setTimeout(slow.late.waitMs)
    const instead = isSlow ? ENDLESS : isBroken ? FAILING : undefined
    const statement = Buffer.from(`${instead} FORMAT JSONEachRow`)
    const replacement = isGzip ? gzipSync(statement) : statement
    const body = instead === undefined ? sent : replacement
    const { "transfer-encoding": _chunked, ...headers } = request.headers
    if (instead !== undefined) delete headers["content-type"]
    const onward = requestTo(
      {
        port: to,
        host: "127.0.0.1",
        method: request.method,
        path: request.url,
        headers: { ...headers, "content-length": String(body.length) },
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(response)
      },
    )
    if (isSlow) slow.slowStatements += 1
    onward.once("close", () => (slow.slowStatements -= isSlow ? 1 : 0))
    onward.on("error", () => response.destroy())
    response.once("close", () => !response.writableFinished && onward.destroy())
    onward.end(body)
  })
}
