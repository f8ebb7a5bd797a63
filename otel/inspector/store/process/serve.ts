import { isUtf8 } from "node:buffer"
import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { once } from "node:events"
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http"
import type { AddressInfo } from "node:net"
import { constants, createGunzip, createGzip, type Gzip } from "node:zlib"
import { ROWS_OF_BODY } from "../insert-statement.ts"
import { type Engine, TooManyStatements } from "./engine.ts"
import { Exception, fromEngine, refuse } from "./exception.ts"
import { PARAMETER_NAME, type Statement } from "./statement.ts"

/**
 * ClickHouse's HTTP interface over the embedded engine, on loopback, for clients with the token. It serves what
 * `@clickhouse/client` uses: ping, statements with parameters, inserts with bodies, gzip both ways, exceptions with
 * codes. It refuses sessions, roles, other databases and settings in the URL.
 *
 * @see https://clickhouse.com/docs/interfaces/http
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

/** Four times the largest insert of the store; see `INSERT_BYTES` in ../writer/insert.ts. */
const REQUEST_BODY_LIMIT_BYTES = 32 * 1024 * 1024

interface StatementRequest {
  readonly statement: Statement
  readonly queryId: string | undefined
  /** Whether to gzip the response: as on a server, both the header and the setting have to request it. */
  readonly gzip: boolean
}

const PARAMETER_PREFIX = "param_"

/** Settings of this interface. All others change how a statement runs, and belong in its SQL. */
const INTERFACE_SETTINGS = new Set([
  "query",
  "query_id",
  "default_format",
  "enable_http_compression",
  "wait_end_of_query",
])

/** Reads a request into a statement. @throws {Exception} */
async function readStatement(request: IncomingMessage, url: URL): Promise<StatementRequest> {
  const parameters = new Map<string, string>()
  for (const [name, value] of url.searchParams) {
    if (isParameter(name)) parameters.set(parameterName(name), value)
    else if (!INTERFACE_SETTINGS.has(name) && !(name === "database" && value === "default")) throw refuse.setting(name)
  }
  const sent = await readBody(request)
  const form = await readForm(sent, request.headers["content-type"])
  for (const [name, value] of form ?? []) if (name !== "query") parameters.set(parameterName(name), value)
  const query = url.searchParams.get("query") ?? form?.get("query") ?? ""
  const body = form === undefined ? sent : Buffer.alloc(0)
  const hasRows = body.length > 0 && query.includes(ROWS_OF_BODY)
  const sql = hasRows ? query : withText(query, body)
  if (sql.trim() === "") throw refuse.noQuery()
  const format = url.searchParams.get("default_format") ?? "TabSeparated"
  return {
    statement: { sql, parameters, format, body: hasRows ? body : undefined },
    queryId: url.searchParams.get("query_id") ?? undefined,
    gzip: acceptsGzip(request, url),
  }
}

/** As on a server, the statement continues in the body: rows in a text format follow their insert. */
function withText(query: string, body: Buffer): string {
  if (!isUtf8(body)) throw refuse.binaryBody(ROWS_OF_BODY)
  return [query, body.toString("utf8")].filter((part) => part !== "").join("\n")
}

function acceptsGzip({ headers }: IncomingMessage, url: URL): boolean {
  const isAllowed = url.searchParams.get("enable_http_compression") === "1"
  return isAllowed && /\bgzip\b/.test(String(headers["accept-encoding"] ?? ""))
}

function isParameter(name: string): boolean {
  return name.startsWith(PARAMETER_PREFIX)
}

function parameterName(prefixed: string): string {
  const name = prefixed.slice(PARAMETER_PREFIX.length)
  if (!PARAMETER_NAME.test(name)) throw refuse.parameterName()
  return name
}

/** Reads a form, which the client sends when the parameters are too long for a URL. It includes the statement. */
async function readForm(body: Buffer<ArrayBuffer>, type = ""): Promise<ReadonlyMap<string, string> | undefined> {
  if (!type.startsWith("multipart/form-data")) return undefined
  const form = await new Response(body, { headers: { "content-type": type } }).formData().catch(() => undefined)
  if (form === undefined) throw refuse.badForm()
  const fields = new Map<string, string>()
  for (const [name, value] of form) {
    if (typeof value !== "string" || !(name === "query" || isParameter(name))) throw refuse.externalTable(name)
    fields.set(name, value)
  }
  return fields
}

async function readBody(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const encoding = request.headers["content-encoding"] ?? "identity"
  if (encoding !== "identity" && encoding !== "gzip") throw refuse.encoding(encoding)
  const stream = encoding === "gzip" ? request.pipe(createGunzip()) : request
  const pieces: Buffer[] = []
  let size = 0
  try {
    for await (const piece of stream as AsyncIterable<Buffer>) {
      size += piece.length
      if (size > REQUEST_BODY_LIMIT_BYTES) throw refuse.tooLarge(REQUEST_BODY_LIMIT_BYTES)
      pieces.push(piece)
    }
  } catch (error) {
    if (error instanceof Exception) throw error
    throw refuse.badBody() // an error of zlib, or a client that disconnected
  }
  return Buffer.concat(pieces, size)
}

/**
 * Sends a statement's result piece by piece, no faster than the client reads. A failure before the first piece is an
 * HTTP error. A later one is ClickHouse's exception frame at the end of the stream, which the client recognizes by the
 * tag in the headers.
 */
async function sendResult(
  response: ServerResponse,
  request: StatementRequest,
  pieces: AsyncIterable<Uint8Array>,
): Promise<void> {
  const tag = randomBytes(8).toString("hex")
  const out = new ResultStream(response, request, tag)
  try {
    for await (const piece of pieces) if (piece.length > 0) await out.write(piece)
  } catch (error) {
    if (response.destroyed) return // the client disconnected, which cancelled the statement
    const exception = fromEngine(error)
    if (!response.headersSent) return sendException(response, exception)
    await out.write(exceptionFrame(exception, tag))
  }
  out.end()
}

function sendException(response: ServerResponse, exception: Exception): void {
  if (response.headersSent) return void response.destroy()
  response.writeHead(exception.httpStatus, {
    "Content-Type": "text/plain; charset=UTF-8",
    "X-ClickHouse-Exception-Code": exception.code,
  })
  response.end(`${exception.message}\n`)
}

class ResultStream {
  readonly #response: ServerResponse
  readonly #headers: Record<string, string>
  readonly #gzip: Gzip | undefined

  constructor(response: ServerResponse, request: StatementRequest, tag: string) {
    this.#response = response
    this.#headers = {
      "Content-Type": "text/plain; charset=UTF-8",
      "X-ClickHouse-Format": request.statement.format,
      "X-ClickHouse-Exception-Tag": tag,
      ...(request.queryId === undefined ? {} : { "X-ClickHouse-Query-Id": request.queryId }),
      ...(request.gzip ? { "Content-Encoding": "gzip" } : {}),
    }
    this.#gzip = request.gzip ? createGzip({ level: constants.Z_BEST_SPEED }) : undefined
  }

  async write(piece: Uint8Array): Promise<void> {
    const target = this.#open()
    if (!target.write(piece)) await once(target, "drain", { signal: closed(this.#response) })
  }

  end(): void {
    this.#open().end()
  }

  #open(): Gzip | ServerResponse {
    if (!this.#response.headersSent) {
      this.#response.writeHead(200, this.#headers)
      this.#gzip?.pipe(this.#response)
    }
    return this.#gzip ?? this.#response
  }
}

/** Aborts when the client disconnects, so that a write does not wait for it. */
function closed(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  if (response.destroyed) controller.abort()
  else response.once("close", () => controller.abort())
  return controller.signal
}

/** The frame of ClickHouse 25.11 and later: marker, tag, message, its length, tag, marker. */
function exceptionFrame(exception: Exception, tag: string): Buffer {
  const message = Buffer.from(`${exception.message}\n`)
  return Buffer.concat([
    Buffer.from(`\r\n__exception__\r\n${tag}\n`),
    message,
    Buffer.from(`${message.length} ${tag}\r\n__exception__\r\n`),
  ])
}
