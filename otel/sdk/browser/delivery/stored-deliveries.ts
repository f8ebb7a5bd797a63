import { OFFLINE_AGE_LIMIT_MS, OFFLINE_BYTES_LIMIT, OFFLINE_DELIVERY_LIMIT } from "../../../protocol/limits.ts"
import { type DropCategory, type DropReason, quantityOfItem } from "../../../protocol/records/drop.ts"
import { OFFLINE_DATABASE } from "../stored-data.ts"

/** A delivery that found no network, as it is stored. */
export interface StoredDelivery {
  readonly kind: "envelope" | "otlp"
  readonly body: string | Uint8Array<ArrayBuffer>
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: number
  /** When it was stored, in milliseconds since the epoch. */
  readonly at: number
  readonly category: DropCategory
  readonly count: number
}

/** A request of the page's senders. `spans` is set for OTLP. */
export interface PageRequest extends RequestInit {
  readonly spans?: number
}

/** `undefined` for what is not stored: a client report, and anything that our senders do not send. */
export function storedDelivery({ body, headers, spans }: PageRequest, at: number): StoredDelivery | undefined {
  const given = (headers ?? {}) as Record<string, string>
  if (spans && body instanceof Uint8Array)
    return {
      kind: "otlp",
      body: body as Uint8Array<ArrayBuffer>,
      headers: given,
      bytes: body.length,
      at,
      category: "span",
      count: spans,
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
export function bodyAt({ kind, body }: StoredDelivery, now: number): StoredDelivery["body"] {
  if (kind === "otlp" || typeof body !== "string") return body
  const end = body.indexOf("\n")
  const header = { ...(JSON.parse(body.slice(0, end)) as object), sent_at: new Date(now).toISOString() }
  return JSON.stringify(header) + body.slice(end)
}

const STORE = "deliveries"

type Dropped = (reason: DropReason, delivery: StoredDelivery) => void

/**
 * Deliveries in this origin's IndexedDB, oldest first, bounded in number, bytes and age; past a limit the oldest is dropped.
 * There is one connection, and it is open only while something is stored: an open connection can exclude a page from the
 * back/forward cache.
 */
export class StoredDeliveries {
  readonly #dropped: Dropped
  /** The connection while it is being opened: concurrent callers share it. */
  #opening: Promise<IDBDatabase> | undefined
  #database: IDBDatabase | undefined
  #isStopped = false

  constructor(dropped: Dropped) {
    this.#dropped = dropped
  }

  /** Opens the connection in advance: a page that is left has no time for it. */
  async open(): Promise<IDBDatabase> {
    if (this.#isStopped) throw new Error("stopped")
    return (this.#opening ??= this.#connect())
  }

  /** Closes after what is in progress. The next operation opens another connection. */
  close(): void {
    this.#database?.close()
    this.#database = this.#opening = undefined
  }

  /** Closes the connection for good, before the database is deleted. */
  stop(): void {
    this.#isStopped = true
    this.close()
  }

  async add(delivery: StoredDelivery): Promise<void> {
    const store = storeIn(this.#database ?? (await this.open()))
    const added = done(store.add(delivery))
    // A document that is unloaded discards uncommitted transactions.
    store.transaction.commit()
    await added
    // It is stored even where the connection closes before the trim.
    await this.#trim().catch(() => undefined)
  }

  /** The oldest that is not too old, with its key. */
  async first(): Promise<readonly [IDBValidKey, StoredDelivery] | undefined> {
    for (;;) {
      const cursor = await done(storeIn(await this.open()).openCursor())
      if (cursor === null) return undefined
      const delivery = cursor.value as StoredDelivery
      if (Date.now() - delivery.at < OFFLINE_AGE_LIMIT_MS) return [cursor.key, delivery]
      await this.remove(cursor.key)
      this.#dropped("expired", delivery)
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
    const store = storeIn(await this.open())
    const [keys, deliveries] = await Promise.all([done(store.getAllKeys()), done(store.getAll())])
    let count = deliveries.length
    let bytes = (deliveries as StoredDelivery[]).reduce((sum, delivery) => sum + delivery.bytes, 0)
    for (const [index, delivery] of (deliveries as StoredDelivery[]).entries()) {
      if (count <= OFFLINE_DELIVERY_LIMIT && bytes <= OFFLINE_BYTES_LIMIT) return
      count--
      bytes -= delivery.bytes
      await done(store.delete(keys[index] ?? 0))
      this.#dropped("queue_overflow", delivery)
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
