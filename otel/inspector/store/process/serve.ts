import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { isAuthenticated } from "./authenticate.ts"
import { TooManyStatements } from "./connections.ts"
import type { Engine } from "./engine.ts"
import { fromEngine, refuse } from "./exception.ts"
import { readStatement } from "./read-request.ts"
import { sendAnswer, sendException } from "./send-answer.ts"

/**
 * ClickHouse's HTTP interface over the embedded engine, on loopback, for whoever holds the token. It serves what the
 * ordinary client uses: ping, statements with parameters, inserts with bodies, gzip both ways, exceptions with codes.
 * It refuses sessions, roles, other databases and settings in the URL, and names no query to a stranger.
 */

/** The app's client opens ten. */
const CONNECTION_LIMIT = 64
/** Longer than the 2.5 s after which the client drops an idle connection, so that it never reuses one closed here. */
const KEEP_ALIVE_MS = 10_000
/** As long as ClickHouse takes: `http_max_uri_size`. */
const HEADER_LIMIT_BYTES = 1024 * 1024

export interface Handler {
  readonly port: number
  /** Refuses new requests and resolves when the last one has been answered. */
  close(): Promise<void>
}

export async function serve(engine: Engine, token: string): Promise<Handler> {
  const server = createServer(
    { keepAliveTimeout: KEEP_ALIVE_MS, maxHeaderSize: HEADER_LIMIT_BYTES },
    (request, response) => void answer(engine, token, request, response),
  )
  server.maxConnections = CONNECTION_LIMIT
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", resolve)
  })
  return { port: (server.address() as AddressInfo).port, close: () => closeServer(server) }
}

async function answer(engine: Engine, token: string, request: IncomingMessage, response: ServerResponse) {
  try {
    if (!isAuthenticated(request.headers, token)) throw refuse.authentication()
    const url = new URL(request.url ?? "/", "http://127.0.0.1")
    if (request.method !== "GET" && request.method !== "POST") throw refuse.method()
    if (url.pathname === "/ping") return void response.end("Ok.\n")
    if (url.pathname !== "/") throw refuse.path()
    const statement = await readStatement(request, url)
    await sendAnswer(response, statement, engine.run(statement.statement, leftSignal(response)))
  } catch (error) {
    refuseRequest(request, response, error)
  }
}

function refuseRequest(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  if (response.destroyed) return // the client left: there is nobody to tell
  const exception = error instanceof TooManyStatements ? refuse.busy() : fromEngine(error)
  // What is left of a refused body is not read.
  if (!request.complete) response.setHeader("Connection", "close")
  sendException(response, exception)
}

/** Aborts when the client leaves before its answer is complete. */
function leftSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  response.once("close", () => {
    if (!response.writableFinished) controller.abort()
  })
  return controller.signal
}

async function closeServer(server: Server): Promise<void> {
  // A connection whose last answer is still under way becomes idle later, and would be kept alive.
  const sweep = setInterval(() => server.closeIdleConnections(), 20)
  await new Promise<void>((resolve) => server.close(() => resolve()))
  clearInterval(sweep)
}
