import { randomUUID } from "node:crypto"
import { Readable } from "node:stream"
import { type ClickHouseClient, ClickHouseError, ClickHouseLogLevel, createClient } from "@clickhouse/client"
import type { Endpoint } from "./clickhouse-backend.ts"

/**
 * The few ways in which the store talks to ClickHouse, the same for the embedded engine and for a server. Values
 * travel as bound parameters; settings stand in the SQL, because a connection of the embedded engine would keep those
 * given beside it.
 */

/** Longer than any statement's own `max_execution_time`, so that the engine's word on it comes first. */
const REQUEST_TIMEOUT_MS = 30_000

/** Bound values by placeholder name. 64-bit numbers are text: as JSON numbers they lose digits past 2^53. */
export type Parameters = Readonly<Record<string, string | number | readonly string[]>>

export interface ClickHouse {
  readonly endpoint: Endpoint
  /** The same for an asker who may leave: what then still reads is ended in the engine, and rejects. */
  until(left: AbortSignal): ClickHouse
  /** The rows of a statement that reads. */
  select<Row>(sql: string, parameters?: Parameters): Promise<Row[]>
  /** The same, with each statement that reads written anew. */
  reading(rewrite: (sql: string) => string): ClickHouse
  /** A statement without an answer. */
  run(sql: string, parameters?: Parameters): Promise<void>
  /** Rows in the format that an `INSERT … FORMAT` names, in pieces. Resolves when they are stored. */
  insert(sql: string, rows: readonly Buffer[]): Promise<void>
  close(): Promise<void>
}

/** ClickHouse did not answer, or not in its own words: the connection has to be made again. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer"
}

export function connect(endpoint: Endpoint): ClickHouse {
  const client = createClient({
    url: endpoint.url.reveal(),
    ...(endpoint.password ? { password: endpoint.password.reveal() } : {}),
    application: "pagespan",
    request_timeout: REQUEST_TIMEOUT_MS,
    // On loopback compression costs more than the bytes that it saves.
    compression: { request: !endpoint.embedded, response: !endpoint.embedded },
    // Proxies in front of a server take addresses of some 8 kB; the ids of a page's traces can be more.
    use_multipart_params_auto: !endpoint.embedded,
    // Failures reach the caller as errors; the client would print them a second time, with statement and parameters.
    log: { level: ClickHouseLogLevel.OFF },
  })
  return withClient(client, endpoint)
}

function withClient(client: ClickHouseClient, endpoint: Endpoint, left?: AbortSignal): ClickHouse {
  const { embedded } = endpoint
  return {
    endpoint,
    until: (signal) => withClient(client, endpoint, signal),
    reading(rewrite) {
      return { ...this, select: (sql, parameters) => this.select(rewrite(sql), parameters) }
    },
    select: <Row>(sql: string, parameters?: Parameters) => {
      if (left === undefined) return select<Row>(client, sql, parameters).catch(rethrow)
      return selectUntil<Row>(client, sql, parameters, { left, embedded }).catch(rethrow)
    },
    run: async (sql, parameters = {}) =>
      void (await client.command({ query: sql, query_params: { ...parameters } }).catch(rethrow)),
    insert: (sql, rows) => insert(client, sql, rows).catch(rethrow),
    close: () => client.close(),
  }
}

async function select<Row>(
  client: ClickHouseClient,
  sql: string,
  parameters: Parameters = {},
  options: { readonly query_id?: string; readonly abort_signal?: AbortSignal } = {},
): Promise<Row[]> {
  const answer = await client.query({ query: sql, query_params: { ...parameters }, format: "JSONEachRow", ...options })
  return answer.json<Row>()
}

/**
 * The embedded engine ends a statement whose connection is closed. A server goes on, unless it is told: its own setting
 * for that looks at read-only users alone.
 *
 * @see https://clickhouse.com/docs/sql-reference/statements/kill
 */
async function selectUntil<Row>(
  client: ClickHouseClient,
  sql: string,
  parameters: Parameters | undefined,
  { left, embedded }: { readonly left: AbortSignal; readonly embedded: boolean },
): Promise<Row[]> {
  left.throwIfAborted()
  if (embedded) return select<Row>(client, sql, parameters, { abort_signal: left })
  const id = randomUUID()
  const kill = () => {
    const query = "KILL QUERY WHERE query_id = {id:String} ASYNC"
    // One that cannot be ended early runs to its own limit of time.
    client.command({ query, query_params: { id } }).catch(() => undefined)
  }
  left.addEventListener("abort", kill, { once: true })
  try {
    return await select<Row>(client, sql, parameters, { query_id: id, abort_signal: left })
  } finally {
    left.removeEventListener("abort", kill)
  }
}

async function insert(client: ClickHouseClient, sql: string, rows: readonly Buffer[]): Promise<void> {
  // `client.insert` takes settings beside the SQL only.
  const { stream } = await client.exec({ query: sql, values: Readable.from(rows, { objectMode: false }) })
  for await (const _piece of stream) {
    // An insert's answer is empty; reading it to its end frees the socket.
  }
}

function rethrow(error: unknown): never {
  if (error instanceof ClickHouseError || !(error instanceof Error)) throw error
  const [line] = error.message.split("\n", 1)
  throw new NoAnswer(line || (error as NodeJS.ErrnoException).code || error.name, { cause: error })
}
