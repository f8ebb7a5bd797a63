import { randomUUID } from "node:crypto"
import { statSync } from "node:fs"
import { join } from "node:path"
import type { Session } from "chdb"
import { Connections } from "./connections.ts"
import { refuse } from "./exception.ts"
import { withBody } from "./insert-body.ts"
import { type Chdb, loadEngine } from "./load-engine.ts"
import { directoryOwner, OpenFailure } from "./open-failure.ts"
import { prepareDirectory } from "./prepare-directory.ts"
import { hasSubquery, isRead, parameterStatements, type Statement } from "./statement.ts"

/**
 * chDB on one directory: opens it, runs statements, stops them, closes it in the order that does not crash.
 * Refuses a directory that another process has open, and says which process that is.
 */

/** chDB's defaults allow 90 % of the machine's memory and 5 GB of caches. Measured: the worst grouping then peaks at 583 MB instead of 1,481. */
const ENGINE_SETTINGS = [
  "--max_server_memory_usage=700000000",
  "--mark_cache_size=67108864",
  "--primary_index_cache_size=33554432",
  "--index_mark_cache_size=33554432",
  "--query_condition_cache_size=0",
]
/** Statements that read at the same time; the machine's cores are shared with the app. */
const READERS = 3

export class Engine {
  readonly #chdb: Chdb
  readonly #readers: Connections
  /** Writes have a connection of their own, so that a slow read delays none of them. */
  readonly #writer: Connections
  /** Stops what runs on the others. */
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
        throw new OpenFailure(`The store directory ${directory} is already open in process ${owner}.`, false)
      throw new OpenFailure(`The store directory ${directory} could not be opened: ${reasonOf(error)}`, false, {
        cause: error,
      })
    }
  }

  private constructor(chdb: Chdb, directory: string) {
    this.#chdb = chdb
    // The first connection starts the engine and carries its settings; the others join it.
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
   * Whether the directory is still the one that was opened. When it is deleted the engine goes on: it makes folders
   * anew and takes inserts into them, but what describes the tables is gone, and so is all of it at the next start.
   */
  isPresent(): boolean {
    return statSync(this.#status, { throwIfNoEntry: false })?.ino === this.#statusFile
  }

  /** Runs the statement and yields its answer in pieces. Aborting stops the statement in the engine. */
  async *run(statement: Statement, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const read = isRead(statement.sql)
    const connections = read ? this.#readers : this.#writer
    const session = await connections.take()
    const mark = randomUUID()
    const stop = () => void this.#kill(mark)
    signal.addEventListener("abort", stop, { once: true })
    try {
      if (statement.parameters.size > 0) await session.queryAsync(parameterStatements(statement.parameters))
      signal.throwIfAborted() // the client left while the statement waited
      const { format, body } = statement
      const marked = (sql: string) => `/* ${mark} */ ${sql}`
      if (read) yield* (hasSubquery(statement.sql) ? whole : streamed)(session, marked(statement.sql), format)
      else if (body === undefined) yield await this.#write(session, marked(statement.sql), format)
      else
        yield await withBody(this.#directory, statement.sql, body, (sql) => this.#write(session, marked(sql), format))
    } finally {
      signal.removeEventListener("abort", stop)
      connections.give(session)
    }
  }

  /** Waits for what runs, then releases the directory. Leaving the process any earlier can crash it. */
  async close(): Promise<void> {
    for (const session of this.#sessions) session.close()
    await this.#chdb.drainPending()
  }

  async #write(session: Session, sql: string, format: string): Promise<Uint8Array> {
    const answer = await session.queryAsync(sql, { format })
    if (!this.isPresent()) throw refuse.gone()
    return answer.bytes()
  }

  /** chDB's own cancel waits for the next piece of the answer; this ends the statement at once. */
  async #kill(mark: string): Promise<void> {
    try {
      await this.#control.queryAsync(`KILL QUERY WHERE startsWith(query, '/* ${mark}') ASYNC`)
    } catch {
      // The statement has ended by itself, or the engine is closing: nothing is left to stop.
    }
  }
}

/** The whole answer as one piece, from a thread. */
async function* whole(session: Session, sql: string, format: string): AsyncGenerator<Uint8Array> {
  yield (await session.queryAsync(sql, { format })).bytes()
}

/** Starting a stream holds the event loop for what the statement has to know before it begins, which subqueries can be. */
async function* streamed(session: Session, sql: string, format: string): AsyncGenerator<Uint8Array> {
  let whole = false
  try {
    for await (const piece of session.queryStream(sql, { format })) yield piece.raw()
    whole = true
  } finally {
    // What a stream that did not end well holds in the engine goes with the next statement of its connection.
    if (!whole) await session.queryAsync("SELECT 1")
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? (error.message.split("\n", 1)[0] ?? error.name) : String(error)
}
