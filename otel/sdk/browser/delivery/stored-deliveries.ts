import { OFFLINE_AGE_LIMIT_MS, OFFLINE_BYTES_LIMIT, OFFLINE_DELIVERY_LIMIT } from "../../../protocol/limits.ts"
import { type DropCategory, quantityOfItem } from "../../../protocol/records/drop.ts"
import { OFFLINE_DATABASE } from "../stored-data.ts"
import type { CountDrop } from "./page-drops.ts"

/** A delivery that found no network, as it is stored. */
export interface StoredDelivery {
  readonly kind: "envelope" | "otlp"
  readonly body: string | Uint8Array<ArrayBuffer>
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly bytes: number
  /** When it was stored, in milliseconds since the epoch. */
  readonly at: number
  readonly category: DropCategory
  readonly count: number
}

/** A request of the page's senders. */
export interface PageRequest extends RequestInit {
  /** The number of spans in a request of OTLP, whose body is bytes. */
  readonly spans?: number
}

/** `undefined` for what is not stored: a client report, and anything that our senders do not send. */
export function storedDelivery({ body, headers, spans }: PageRequest, at: number): StoredDelivery | undefined {
  const given = headers as Record<string, string> | undefined
  if (spans) {
    const bytes = body as Uint8Array<ArrayBuffer>
    return { kind: "otlp", body: bytes, headers: given, bytes: bytes.length, at, category: "span", count: spans }
  }
  if (typeof body !== "string") return undefined
  // A page writes an envelope of one item.
  const { type, item_count } = JSON.parse(body.split("\n", 2)[1] ?? "{}") as Record<string, unknown>
  // A page sends no others.
  const category = type === "event" ? "error" : (type as "transaction" | "span" | "client_report")
  const count = quantityOfItem(item_count)
  return category === "client_report"
    ? undefined
    : { kind: "envelope", body, headers: given, bytes: 2 * body.length, at, category, count }
}

/** The body to send now. An envelope says when it is sent, by which a receiver corrects the page's clock. */
export function bodyAt({ body }: StoredDelivery, now: number): StoredDelivery["body"] {
  if (typeof body !== "string") return body
  const end = body.indexOf("\n")
  const header = { ...(JSON.parse(body.slice(0, end)) as object), sent_at: new Date(now).toISOString() }
  return JSON.stringify(header) + body.slice(end)
}

const STORE = "deliveries"

/**
 * Deliveries in this origin's IndexedDB, oldest first, bounded in number, bytes and age; past a limit the oldest is dropped.
 * There is one connection, and it is open only while something is stored: an open connection can exclude a page from the
 * back/forward cache.
 */
export class StoredDeliveries {
  readonly #dropped: CountDrop
  readonly #signal: AbortSignal
  /** The connection while it is being opened: concurrent callers share it. */
  #opening: Promise<IDBDatabase> | undefined
  #database: IDBDatabase | undefined

  /** @param signal no connection is opened once it has aborted. */
  constructor(dropped: CountDrop, signal: AbortSignal) {
    this.#dropped = dropped
    this.#signal = signal
  }

  /** Opens the connection in advance: a page that is left has no time for it. */
  async open(): Promise<IDBDatabase> {
    this.#signal.throwIfAborted()
    return (this.#opening ??= this.#connect())
  }

  /** Closes after what is in progress. The next operation opens another connection. */
  close(): void {
    this.#database?.close()
    this.#database = this.#opening = undefined
  }

  async add(delivery: StoredDelivery): Promise<void> {
    const store = storeIn(this.#database ?? (await this.open()))
    const added = done(store.add(delivery))
    // A document that is unloaded discards uncommitted transactions.
    store.transaction.commit()
    await added
    // It is stored even if the connection closes before the trim.
    await this.#trim().catch(() => undefined)
  }

  async count(): Promise<number> {
    return done(storeIn(await this.open()).count())
  }

  /** The oldest that is not too old, with its key. */
  async first(): Promise<readonly [IDBValidKey, StoredDelivery] | undefined> {
    for (;;) {
      const cursor = await done(storeIn(await this.open()).openCursor())
      if (cursor === null) return undefined
      const delivery = cursor.value as StoredDelivery
      if (Date.now() - delivery.at < OFFLINE_AGE_LIMIT_MS) return [cursor.key, delivery]
      await this.remove(cursor.key)
      this.#dropped("expired", delivery.category, delivery.count)
    }
  }

  async remove(key: IDBValidKey): Promise<void> {
    await done(storeIn(await this.open()).delete(key))
  }

  #connect(): Promise<IDBDatabase> {
    const request = indexedDB.open(OFFLINE_DATABASE)
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { autoIncrement: true })
    const opening = done(request).then(
      (database) => {
        // `close` was called meanwhile.
        if (this.#opening !== opening) database.close()
        else this.#database = database
        // Another tab deletes the database after consent was withdrawn, or the visitor cleared the storage.
        database.onversionchange = database.onclose = () => this.close()
        return database
      },
      (error: unknown) => {
        if (this.#opening === opening) this.#opening = undefined
        throw error
      },
    )
    return opening
  }

  async #trim(): Promise<void> {
    let count = 0
    let bytes = 0
    const newestFirst = storeIn(await this.open()).openCursor(null, "prev")
    for (let cursor = await done(newestFirst); cursor !== null; cursor = await done(newestFirst)) {
      const delivery = cursor.value as StoredDelivery
      bytes += delivery.bytes
      if (++count > OFFLINE_DELIVERY_LIMIT || bytes > OFFLINE_BYTES_LIMIT) {
        await done(cursor.delete())
        this.#dropped("queue_overflow", delivery.category, delivery.count)
      }
      cursor.continue()
    }
  }
}

function storeIn(database: IDBDatabase): IDBObjectStore {
  return database.transaction(STORE, "readwrite").objectStore(STORE)
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
