import { randomUUID } from "node:crypto"
import { Readable } from "node:stream"
import { type ClickHouseClient, ClickHouseError, ClickHouseLogLevel, createClient } from "@clickhouse/client"
import type { Endpoint } from "./clickhouse-backend.ts"

/**
 * The store's client, the same for the embedded engine and for a server. Values are bound parameters; settings are part
 * of the SQL, because a connection of the embedded engine would apply any others to later statements too.
 */

/** Longer than the `max_execution_time` of any statement, so that ClickHouse reports a timeout first. */
const REQUEST_TIMEOUT_MS = 30_000

/** Bound values by placeholder name. 64-bit numbers are text: as JSON numbers they lose digits past 2^53. */
export type Parameters = Readonly<Record<string, string | number | readonly string[]>>

export interface ClickHouse {
  readonly endpoint: Endpoint
  /** The same client for one caller: an abort cancels its queries in ClickHouse, which then reject. */
  withSignal(signal: AbortSignal): ClickHouse
  /** Runs a query and returns its rows. */
  select<Row>(sql: string, parameters?: Parameters): Promise<Row[]>
  /** Runs a query that names its format, and returns the pieces of the response. */
  selectBytes(sql: string, parameters?: Parameters): Promise<readonly Buffer[]>
  /** Runs a statement that returns nothing. */
  run(sql: string, parameters?: Parameters): Promise<void>
  /** Inserts rows in the format that the `INSERT … FORMAT` names, in pieces. Resolves when they are stored. */
  insert(sql: string, rows: readonly Buffer[]): Promise<void>
  close(): Promise<void>
}

/** There was no response, or none of ClickHouse: the store has to connect again. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer"
}

export function connect(endpoint: Endpoint): ClickHouse {
  const client = createClient({
    url: endpoint.url.reveal(),
    ...(endpoint.password ? { password: endpoint.password.reveal() } : {}),
    application: "pagespan",
    request_timeout: REQUEST_TIMEOUT_MS,
    // On loopback compression costs more than it saves.
    compression: { request: !endpoint.embedded, response: !endpoint.embedded },
    // Proxies in front of a server accept URLs of about 8 kB; the ids of a page's traces can be longer.
    use_multipart_params_auto: !endpoint.embedded,
    // Callers get failures as errors. The client would also print them, with statement and parameters.
    log: { level: ClickHouseLogLevel.OFF },
  })
  return withClient(client, endpoint)
}

function withClient(client: ClickHouseClient, endpoint: Endpoint, signal?: AbortSignal): ClickHouse {
  const { embedded } = endpoint
  const read = <Result>(query: (options: QueryOptions) => Promise<Result>): Promise<Result> =>
    (signal === undefined ? query({}) : withCancel(client, query, { signal, embedded })).catch(rethrow)
  return {
    endpoint,
    withSignal: (callerSignal) => withClient(client, endpoint, callerSignal),
    select: <Row>(sql: string, parameters?: Parameters) =>
      read((options) => select<Row>(client, sql, parameters, options)),
    selectBytes: (sql, parameters) => read((options) => selectBytes(client, sql, parameters, options)),
    run: async (sql, parameters = {}) =>
      void (await client.command({ query: sql, query_params: { ...parameters } }).catch(rethrow)),
    insert: (sql, rows) => insert(client, sql, rows).catch(rethrow),
    close: () => client.close(),
  }
}

interface QueryOptions {
  readonly query_id?: string
  readonly abort_signal?: AbortSignal
}

async function select<Row>(
  client: ClickHouseClient,
  sql: string,
  parameters: Parameters | undefined,
  options: QueryOptions,
): Promise<Row[]> {
  const answer = await client.query({ query: sql, query_params: { ...parameters }, format: "JSONEachRow", ...options })
  return answer.json<Row>()
}

/** The client parses no binary formats. */
async function selectBytes(
  client: ClickHouseClient,
  sql: string,
  parameters: Parameters | undefined,
  options: QueryOptions,
): Promise<readonly Buffer[]> {
  const { stream } = await client.exec({ query: sql, query_params: { ...parameters }, ...options })
  return stream.toArray()
}

/**
 * The embedded engine cancels a query whose connection closes. A server does not (its setting for that covers read-only
 * users only), so this sends it `KILL QUERY`.
 *
 * @see https://clickhouse.com/docs/sql-reference/statements/kill
 */
async function withCancel<Result>(
  client: ClickHouseClient,
  query: (options: QueryOptions) => Promise<Result>,
  { signal, embedded }: { readonly signal: AbortSignal; readonly embedded: boolean },
): Promise<Result> {
  signal.throwIfAborted()
  if (embedded) return query({ abort_signal: signal })
  const id = randomUUID()
  const kill = () => {
    const statement = "KILL QUERY WHERE query_id = {id:String} ASYNC"
    // A query that cannot be cancelled ends at its own time limit.
    client.command({ query: statement, query_params: { id } }).catch(() => undefined)
  }
  signal.addEventListener("abort", kill, { once: true })
  try {
    return await query({ query_id: id, abort_signal: signal })
  } finally {
    signal.removeEventListener("abort", kill)
  }
}

async function insert(client: ClickHouseClient, sql: string, rows: readonly Buffer[]): Promise<void> {
  // `client.insert` takes settings only besides the SQL.
  const { stream } = await client.exec({ query: sql, values: Readable.from(rows, { objectMode: false }) })
  for await (const _piece of stream) {
    // The response is empty; reading it to the end frees the socket.
  }
}

function rethrow(error: unknown): never {
  if (error instanceof ClickHouseError || !(error instanceof Error)) throw error
  const [line] = error.message.split("\n", 1)
  throw new NoAnswer(line || (error as NodeJS.ErrnoException).code || error.name, { cause: error })
}
