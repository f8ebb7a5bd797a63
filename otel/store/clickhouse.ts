import { Readable } from "node:stream"
import { ClickHouseError, ClickHouseLogLevel, createClient, type ClickHouseClient } from "@clickhouse/client"
import type { Endpoint } from "./host.ts"

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
  readonly embedded: boolean
  /** The rows of a statement that reads. */
  select<Row>(sql: string, parameters?: Parameters): Promise<Row[]>
  /** A statement without an answer. */
  run(sql: string): Promise<void>
  /** Rows as JSON lines, after an `INSERT … FORMAT` of one of its JSON formats. Resolves when they are stored. */
  insert(sql: string, lines: readonly Buffer[]): Promise<void>
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
    // Failures reach the caller as errors; the client would print them a second time, with statement and parameters.
    log: { level: ClickHouseLogLevel.OFF },
  })
  return {
    embedded: endpoint.embedded,
    select: <Row>(sql: string, parameters?: Parameters) => select<Row>(client, sql, parameters).catch(rethrow),
    run: async (sql) => void (await client.command({ query: sql }).catch(rethrow)),
    insert: (sql, lines) => insert(client, sql, lines).catch(rethrow),
    close: () => client.close(),
  }
}

async function select<Row>(client: ClickHouseClient, sql: string, parameters: Parameters = {}): Promise<Row[]> {
  const answer = await client.query({ query: sql, query_params: { ...parameters }, format: "JSONEachRow" })
  return answer.json<Row>()
}

async function insert(client: ClickHouseClient, sql: string, lines: readonly Buffer[]): Promise<void> {
  // `client.insert` takes settings beside the SQL only.
  const { stream } = await client.exec({ query: sql, values: Readable.from(lines, { objectMode: false }) })
  for await (const _piece of stream) {
    // An insert's answer is empty; reading it to its end frees the socket.
  }
}

function rethrow(error: unknown): never {
  if (error instanceof ClickHouseError || !(error instanceof Error)) throw error
  const [line] = error.message.split("\n", 1)
  throw new NoAnswer(line || (error as NodeJS.ErrnoException).code || error.name, { cause: error })
}
