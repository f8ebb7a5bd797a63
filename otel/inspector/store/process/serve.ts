import { createHash, timingSafeEqual } from "node:crypto"
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http"
import type { AddressInfo } from "node:net"
import { type Engine, TooManyStatements } from "./engine.ts"
import { fromEngine, refuse } from "./exception.ts"
import { readStatement } from "./request.ts"
import { sendException, sendResult } from "./response.ts"

/**
 * ClickHouse's HTTP interface over the embedded engine, on loopback, for clients with the token. It serves what
 * `@clickhouse/client` uses: ping, statements with parameters, inserts with bodies, gzip both ways, exceptions with
 * codes. It refuses sessions, roles, other databases and settings in the URL.
 */

/** The app's client opens ten connections. */
const CONNECTION_LIMIT = 64
/** Longer than the 2.5 s after which the client closes an idle connection, so that it never reuses one that this side closed. */
const KEEP_ALIVE_MS = 10_000
/** The default of ClickHouse's `http_max_uri_size`. */
const HEADER_LIMIT_BYTES = 1024 * 1024

export interface StoreServer {
  readonly port: number
  /** Refuses new requests. Resolves after the last response. */
  close(): Promise<void>
}

export async function serve(engine: Engine, token: string): Promise<StoreServer> {
  const server = createServer(
    { keepAliveTimeout: KEEP_ALIVE_MS, maxHeaderSize: HEADER_LIMIT_BYTES },
    (request, response) => void respond(engine, token, request, response),
  )
  server.maxConnections = CONNECTION_LIMIT
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", resolve)
  })
  return { port: (server.address() as AddressInfo).port, close: () => closeServer(server) }
}

async function respond(engine: Engine, token: string, request: IncomingMessage, response: ServerResponse) {
  try {
    if (!isAuthenticated(request.headers, token)) throw refuse.authentication()
    const url = new URL(request.url ?? "/", "http://127.0.0.1")
    if (request.method !== "GET" && request.method !== "POST") throw refuse.method()
    if (url.pathname === "/ping") return void response.end("Ok.\n")
    if (url.pathname !== "/") throw refuse.path()
    const statement = await readStatement(request, url)
    await sendResult(response, statement, engine.run(statement.statement, disconnectSignal(response)))
  } catch (error) {
    refuseRequest(request, response, error)
  }
}

function refuseRequest(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  if (response.destroyed) return // the client disconnected
  const exception = error instanceof TooManyStatements ? refuse.busy() : fromEngine(error)
  // The rest of a refused body is not read.
  if (!request.complete) response.setHeader("Connection", "close")
  sendException(response, exception)
}

/** Aborts when the client disconnects before the response is complete. */
function disconnectSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  response.once("close", () => {
    if (!response.writableFinished) controller.abort()
  })
  return controller.signal
}

async function closeServer(server: Server): Promise<void> {
  // A connection becomes idle after its last response, and would then stay open.
  const sweep = setInterval(() => server.closeIdleConnections(), 20)
  await new Promise<void>((resolve) => server.close(() => resolve()))
  clearInterval(sweep)
}

/** Whether the request has the token as its password, in `Authorization: Basic` or in `X-ClickHouse-Key`. */
function isAuthenticated(headers: IncomingHttpHeaders, token: string): boolean {
  const given = passwordOf(headers)
  // Hashing makes the comparison take the same time for every length and content.
  return given !== undefined && timingSafeEqual(digest(given), digest(token))
}

function passwordOf(headers: IncomingHttpHeaders): string | undefined {
  const key = headers["x-clickhouse-key"]
  if (typeof key === "string") return key
  const basic = /^Basic (\S+)$/i.exec(headers.authorization ?? "")?.[1]
  if (basic === undefined) return undefined
  const pair = Buffer.from(basic, "base64").toString("utf8")
  return pair.slice(pair.indexOf(":") + 1)
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest()
}
