import type { IncomingMessage } from "node:http"
import { createGunzip } from "node:zlib"
import { Exception, refuse } from "./exception.ts"
import { isInsert } from "./insert-body.ts"
import { PARAMETER_NAME, type Statement } from "./statement.ts"

/** Reads one request of ClickHouse's HTTP interface into a statement. @see https://clickhouse.com/docs/interfaces/http */

/** Four times the largest insert that the store sends; see `INSERT_BYTES` in ../write/insert.ts. */
export const REQUEST_BODY_LIMIT_BYTES = 32 * 1024 * 1024

export interface StatementRequest {
  readonly statement: Statement
  readonly queryId: string | undefined
  /** Whether the client takes a gzipped answer: both the header and the setting ask for it, as on a server. */
  readonly gzip: boolean
}

/** Settings that concern this interface alone; all others change how a statement runs and belong into its SQL. */
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
    if (name.startsWith("param_")) parameters.set(parameterName(name.slice("param_".length)), value)
    else if (!INTERFACE_SETTINGS.has(name) && !(name === "database" && value === "default")) throw refuse.setting(name)
  }
  const query = url.searchParams.get("query") ?? ""
  const body = await readBody(request)
  const hasRows = body.length > 0 && isInsert(query)
  const sql = hasRows ? query : [query, body.toString("utf8")].filter((part) => part !== "").join("\n")
  if (sql.trim() === "") throw refuse.noQuery()
  const format = url.searchParams.get("default_format") ?? "TabSeparated"
  return {
    statement: { sql, parameters, format, body: hasRows ? body : undefined },
    queryId: url.searchParams.get("query_id") ?? undefined,
    gzip:
      url.searchParams.get("enable_http_compression") === "1" &&
      /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? "")),
  }
}

function parameterName(name: string): string {
  if (!PARAMETER_NAME.test(name)) throw refuse.parameterName()
  return name
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
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
    throw refuse.badBody() // what remains is zlib's, or a client that left in the middle
  }
  return Buffer.concat(pieces, size)
}
