import type { Worker } from "node:worker_threads"
import { ClickHouseError } from "@clickhouse/client"
import type { DropCategory } from "../../../protocol/records/drop.ts"
import { secret } from "../../../protocol/secret.ts"
import { startThread } from "../../start-thread.ts"
import type { Endpoint } from "../clickhouse-backend.ts"
import { NoAnswer } from "../clickhouse.ts"
import { RecordsRefused, StoreUnavailable } from "../failure.ts"
import type { InsertOrder } from "./insert-records.ts"

/** Enough for the largest order: 100,000 spans, or 32 MB plus the batch that exceeds them. */
const MEMORY_MB = 1_024
/** Records become columns one by one, so few of them are alive at a time. */
const YOUNG_MB = 12

/** A buffer that is more than this many times as large as an order is not reused for it, so that memory is released. */
const MAX_ROOM = 4
const NO_BYTES = new Uint8Array(0)

interface Waiting {
  resolve(): void
  reject(error: Error): void
}

/** Writes records to ClickHouse in a thread of its own, which starts with the first order. */
export class Writer {
  readonly #waiting = new Map<number, Waiting>()
  #thread: Worker | undefined
  /** The buffer of an earlier order, for the next one. Allocating one for each order makes V8 collect the whole heap. */
  #spare = NO_BYTES
  #lastId = 0
  #isClosed = false

  /** @param file module of the thread. Default: the source, below the working directory. */
  constructor(private readonly file: string | undefined) {}

  /** Resolves when all records are stored. Rejects as `insertRecords` does, or with a plain error if the thread ended. */
  write(endpoint: Endpoint, order: InsertOrder): Promise<void> {
    if (this.#isClosed) return Promise.reject(new StoreUnavailable("The store is closed."))
    const thread = (this.#thread ??= this.#start())
    const id = ++this.#lastId
    const message = toMessage(id, endpoint, order, this.#spare)
    if (message.bytes === this.#spare) this.#spare = NO_BYTES
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
    thread.on("message", ({ id, failure, bytes }: WrittenMessage) => {
      this.#spare = bytes
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

/** Messages between the writer and its thread: plain data, and one buffer instead of many, which transfers without a copy. */

export interface WriteMessage {
  readonly id: number
  readonly endpoint: { readonly url: string; readonly password: string | undefined; readonly embedded: boolean }
  /** All batches, concatenated. The buffer may be longer. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** End of each batch in `bytes`. */
  readonly ends: readonly number[]
  readonly order: Omit<InsertOrder, "batches">
}

export interface WrittenMessage {
  readonly id: number
  readonly failure: Failure | undefined
  /** The buffer of the order, returned for reuse. */
  readonly bytes: Uint8Array<ArrayBuffer>
}

export type Failure =
  | { readonly kind: "refused"; readonly category: DropCategory; readonly count: number; readonly message: string }
  | { readonly kind: "no answer"; readonly message: string }
  | { readonly kind: "clickhouse"; readonly message: string; readonly code: string; readonly type: string | undefined }
  | { readonly kind: "other"; readonly message: string }

/** @param spare a buffer that the message uses if it is large enough, and not far too large. */
export function toMessage(
  id: number,
  { url, password, embedded }: Endpoint,
  order: InsertOrder,
  spare: Uint8Array<ArrayBuffer>,
): WriteMessage {
  const { batches, ...rest } = order
  const size = batches.reduce((sum, { length }) => sum + length, 0)
  const isRight = spare.length >= size && spare.length <= size * MAX_ROOM
  const bytes = isRight ? spare : new Uint8Array(size + Math.ceil(size / 4))
  const ends: number[] = []
  let end = 0
  for (const batch of batches) {
    bytes.set(batch, end)
    end += batch.length
    ends.push(end)
  }
  return { id, endpoint: { url: url.reveal(), password: password?.reveal(), embedded }, bytes, ends, order: rest }
}

export function orderOf({ bytes, ends, order }: WriteMessage): InsertOrder {
  return { ...order, batches: ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end)) }
}

export function endpointOf({ endpoint: { url, password, embedded } }: WriteMessage): Endpoint {
  return { url: secret(url), embedded, ...(password !== undefined && { password: secret(password) }) }
}

export function toFailure(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof RecordsRefused) {
    const { category, count, cause } = error
    return { kind: "refused", category, count, message: cause instanceof Error ? cause.message : message }
  }
  if (error instanceof NoAnswer) return { kind: "no answer", message }
  if (error instanceof ClickHouseError) return { kind: "clickhouse", message, code: error.code, type: error.type }
  return { kind: "other", message }
}

export function toError(failure: Failure): Error {
  const { kind, message } = failure
  switch (kind) {
    case "refused":
      return new RecordsRefused(failure.category, failure.count, { cause: new Error(message) })
    case "no answer":
      return new NoAnswer(message)
    case "clickhouse":
      return new ClickHouseError({ message, code: failure.code, ...(failure.type && { type: failure.type }) })
    case "other":
      return new Error(message)
  }
}
