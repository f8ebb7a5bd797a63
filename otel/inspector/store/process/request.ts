import type { IncomingMessage } from "node:http"
import { createGunzip } from "node:zlib"
import { Exception, refuse } from "./exception.ts"
import { isInsert, PARAMETER_NAME, type Statement } from "./statement.ts"

/** Reads one request of ClickHouse's HTTP interface into a statement. @see https://clickhouse.com/docs/interfaces/http */

/** Four times the largest insert of the store; see `INSERT_BYTES` in ../writer/insert.ts. */
export const REQUEST_BODY_LIMIT_BYTES = 32 * 1024 * 1024

export interface StatementRequest {
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

/** @throws {Exception} */
export async function readStatement(request: IncomingMessage, url: URL): Promise<StatementRequest> {
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
  const hasRows = body.length > 0 && isInsert(query)
  const sql = hasRows ? query : [query, body.toString("utf8")].filter((part) => part !== "").join("\n")
  if (sql.trim() === "") throw refuse.noQuery()
  const format = url.searchParams.get("default_format") ?? "TabSeparated"
  return {
    statement: { sql, parameters, format, body: hasRows ? body : undefined },
    queryId: url.searchParams.get("query_id") ?? undefined,
    gzip: acceptsGzip(request, url),
  }
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
