import type { Worker } from "node:worker_threads"
import { startThread } from "../../start-thread.ts"
import type { Endpoint } from "../clickhouse-backend.ts"
import { StoreUnavailable } from "../failure.ts"
import type { InsertOrder } from "./insert-records.ts"
import { toError, toMessage, type WrittenMessage } from "./messages.ts"

/** Enough for the largest order: 100,000 spans, or 32 MB plus the batch that exceeds them. */
const MEMORY_MB = 1_024
/** Records become columns one by one, so few of them are alive at a time. */
const YOUNG_MB = 12

interface Waiting {
  resolve(): void
  reject(error: Error): void
}

/** Writes records to ClickHouse in a thread of its own, which starts with the first order. */
export class Writer {
  readonly #waiting = new Map<number, Waiting>()
  #thread: Worker | undefined
  #lastId = 0
  #isClosed = false

  /** @param file module of the thread. Default: the source, below the working directory. */
  constructor(private readonly file: string | undefined) {}

  /** Resolves when all records are stored. Rejects as `insertRecords` does, or with a plain error if the thread ended. */
  write(endpoint: Endpoint, order: InsertOrder): Promise<void> {
    if (this.#isClosed) return Promise.reject(new StoreUnavailable("The store is closed."))
    const thread = (this.#thread ??= this.#start())
    const id = ++this.#lastId
    const message = toMessage(id, endpoint, order)
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      thread.ref()
      thread.postMessage(message, [message.bytes.buffer])
    })
  }

  /** Orders that are still being written reject. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#thread?.terminate()
  }

  #start(): Worker {
    const thread = startThread({
      file: this.file,
      source: "otel/inspector/store/writer/thread.ts",
      memoryMb: MEMORY_MB,
      youngMb: YOUNG_MB,
    })
    thread.unref()
    let reason = ""
    thread.on("message", ({ id, failure }: WrittenMessage) => {
      const waiting = this.#waiting.get(id)
      this.#waiting.delete(id)
      if (this.#waiting.size === 0) thread.unref()
      if (failure === undefined) waiting?.resolve()
      else waiting?.reject(toError(failure))
    })
    thread.on("error", (error) => (reason = error.message))
    thread.on("exit", () => this.#ended(thread, reason))
    return thread
  }

  /** The thread ran out of memory, or could not start. Its orders reject; the next order starts another thread. */
  #ended(thread: Worker, reason: string): void {
    if (thread !== this.#thread) return
    this.#thread = undefined
    const error = this.#isClosed
      ? new StoreUnavailable("The store is closed.")
      : new Error(`The writer thread ended: ${reason}`)
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}
