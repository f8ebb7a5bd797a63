import { randomUUID } from "node:crypto"
import { statSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import type * as chdb from "chdb"
import type { Session } from "chdb"
import { directoryOwner, OpenFailure, prepareDirectory } from "./directory.ts"
import { refuse } from "./exception.ts"
import { hasSubquery, isRead, parameterStatements, type Statement, withBody } from "./statement.ts"

/**
 * chDB on one directory: opens it, runs and cancels statements, and closes it in the order that does not crash. It
 * refuses a directory that another process has open, and names the process.
 */

/**
 * chDB's defaults allow 90 % of the machine's memory and 5 GB of caches. Measured: with these limits the worst `GROUP BY`
 * peaks at 583 MB instead of 1,481.
 */
const ENGINE_SETTINGS = [
  "--max_server_memory_usage=700000000",
  "--mark_cache_size=67108864",
  "--primary_index_cache_size=33554432",
  "--index_mark_cache_size=33554432",
  "--query_condition_cache_size=0",
]
/** Concurrent queries. The app needs the machine's cores too. */
const READERS = 3

export class Engine {
  readonly #chdb: Chdb
  readonly #readers: Connections
  /** Writes have a connection of their own, so that no slow query delays them. */
  readonly #writer: Connections
  /** Cancels statements of the other connections. */
  readonly #control: Session
  readonly #sessions: readonly Session[]
  readonly #directory: string
  readonly #status: string
  readonly #statusFile: number

  /** @throws {OpenFailure} */
  static open(directory: string): Engine {
    prepareDirectory(directory)
    const chdb = loadEngine()
    try {
      return new Engine(chdb, directory)
    } catch (error) {
      const owner = directoryOwner(directory)
      if (owner !== undefined)
        throw new OpenFailure(
          `The store directory ${directory} is already open in process ${owner}. Stop that process, or set PAGESPAN_DATA to another directory.`,
          false,
        )
      throw new OpenFailure(`The store directory ${directory} could not be opened: ${reasonOf(error)}`, false, {
        cause: error,
      })
    }
  }

  private constructor(chdb: Chdb, directory: string) {
    this.#chdb = chdb
    // The first connection starts the engine with its settings; the others share it.
    this.#control = new chdb.Session(directory, { connectionArgs: ENGINE_SETTINGS })
    const readers = Array.from({ length: READERS }, () => new chdb.Session(directory))
    const writer = new chdb.Session(directory)
    this.#sessions = [...readers, writer, this.#control]
    this.#readers = new Connections(readers)
    this.#writer = new Connections([writer])
    this.#directory = directory
    this.#status = join(directory, "status")
    this.#statusFile = statSync(this.#status).ino
  }

  /**
   * Whether the directory is still the one that was opened. If someone deletes it, the engine creates folders again and
   * accepts inserts into them; but the table definitions are missing, so the next start finds nothing.
   */
  isPresent(): boolean {
    return statSync(this.#status, { throwIfNoEntry: false })?.ino === this.#statusFile
  }

  /** Runs the statement and yields its result in pieces. An abort cancels the statement in the engine. */
  async *run(statement: Statement, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const read = isRead(statement.sql)
    const connections = read ? this.#readers : this.#writer
    const session = await connections.acquire()
    const mark = randomUUID()
    const stop = () => void this.#kill(mark)
    signal.addEventListener("abort", stop, { once: true })
    try {
      if (statement.parameters.size > 0) await session.queryAsync(parameterStatements(statement.parameters))
      signal.throwIfAborted() // the client may have disconnected while the statement waited
      const { format, body } = statement
      const marked = (sql: string) => `/* ${mark} */ ${sql}`
      if (read) yield* (hasSubquery(statement.sql) ? whole : streamed)(session, marked(statement.sql), format)
      else if (body === undefined) yield await this.#write(session, marked(statement.sql), format)
      else
        yield await withBody(this.#directory, statement.sql, body, (sql) => this.#write(session, marked(sql), format))
    } finally {
      signal.removeEventListener("abort", stop)
      connections.release(session)
    }
  }

  /** Waits for running statements, then releases the directory. Exiting earlier can crash the process. */
  async close(): Promise<void> {
    for (const session of this.#sessions) session.close()
    await this.#chdb.drainPending()
  }

  async #write(session: Session, sql: string, format: string): Promise<Uint8Array> {
    const answer = await session.queryAsync(sql, { format })
    if (!this.isPresent()) throw refuse.gone()
    return answer.bytes()
  }

  /** chDB's own cancel waits for the next piece of the result; this cancels the statement at once. */
  async #kill(mark: string): Promise<void> {
    try {
      await this.#control.queryAsync(`KILL QUERY WHERE startsWith(query, '/* ${mark}') ASYNC`)
    } catch {
      // The statement has ended, or the engine is closing.
    }
  }
}

/** The whole result in one piece, computed in a thread. */
async function* whole(session: Session, sql: string, format: string): AsyncGenerator<Uint8Array> {
  yield (await session.queryAsync(sql, { format })).bytes()
}

/** Starting a stream blocks the event loop until ClickHouse has run the subqueries, so statements with subqueries use `whole`. */
async function* streamed(session: Session, sql: string, format: string): AsyncGenerator<Uint8Array> {
  let isComplete = false
  try {
    for await (const piece of session.queryStream(sql, { format })) yield piece.raw()
    isComplete = true
  } finally {
    // The engine releases an interrupted stream with the next statement of its connection.
    if (!isComplete) await session.queryAsync("SELECT 1")
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? (error.message.split("\n", 1)[0] ?? error.name) : String(error)
}

/** Statements that may wait for a connection: each holds its SQL, and the body of an insert, in memory. */
const WAITING_LIMIT = 256

export class TooManyStatements extends Error {
  override readonly name = "TooManyStatements"
}

/**
 * A pool of connections, for one statement at a time each. chDB runs one statement per connection, and would block a
 * thread of the libuv pool for each waiting one.
 */
class Connections {
  readonly #idle: Session[]
  readonly #waiting: ((session: Session) => void)[] = []

  constructor(sessions: readonly Session[]) {
    this.#idle = [...sessions]
  }

  /** @throws {TooManyStatements} when the queue is full. */
  async acquire(): Promise<Session> {
    const session = this.#idle.pop()
    if (session) return session
    if (this.#waiting.length >= WAITING_LIMIT) throw new TooManyStatements(`${WAITING_LIMIT} statements are waiting`)
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  release(session: Session): void {
    const next = this.#waiting.shift()
    if (next) next(session)
    else this.#idle.push(session)
  }
}

type Chdb = typeof chdb

const NO_ENGINE =
  "No embedded engine on this platform (chDB has binaries for Linux with glibc and for macOS): set CLICKHOUSE_URL to use a ClickHouse server."

/**
 * chDB is an optional dependency of 570 MB. Only the store process loads it, and only when it opens a store.
 *
 * @throws {OpenFailure} when it is not installed or has no binary for this platform.
 */
export function loadEngine(load: (name: string) => unknown = createRequire(import.meta.url)): Chdb {
  try {
    return load("chdb") as Chdb
  } catch (error) {
    throw new OpenFailure(NO_ENGINE, true, { cause: error })
  }
}
