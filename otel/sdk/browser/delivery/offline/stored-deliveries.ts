import { OFFLINE_AGE_LIMIT_MS, OFFLINE_BYTES_LIMIT, OFFLINE_DELIVERY_LIMIT } from "../../../../protocol/limits.ts"
import type { DropReason } from "../../../../protocol/records/drop.ts"
import { OFFLINE_DATABASE } from "./offline-database.ts"
import type { StoredDelivery } from "./stored-delivery.ts"

const STORE = "deliveries"

type Lost = (reason: DropReason, delivery: StoredDelivery) => void

/**
 * Deliveries in this origin's IndexedDB, oldest first, bounded in number, bytes and age; on full the oldest goes. There is
 * one connection, open only while something is kept: an open one may cost a page its place in the back/forward cache.
 */
export class StoredDeliveries {
  readonly #lost: Lost
  /** One connection for all who ask while it is being opened. */
  #opening: Promise<IDBDatabase> | undefined
  #database: IDBDatabase | undefined
  #isStopped = false

  constructor(lost: Lost) {
    this.#lost = lost
  }

  /** Opens the connection, so that `add` needs no time: a page that is left has none. */
  async open(): Promise<IDBDatabase> {
    if (this.#isStopped) throw new Error("stopped")
    return (this.#opening ??= this.#connect())
  }

  /** Completes what has begun. What comes next opens another connection. */
  close(): void {
    this.#database?.close()
    this.#database = this.#opening = undefined
  }

  /** Closes the connection for good: the database is about to be deleted. */
  stop(): void {
    this.#isStopped = true
    this.close()
  }

  async add(delivery: StoredDelivery): Promise<void> {
    const store = storeIn(this.#database ?? (await this.open()))
    const added = done(store.add(delivery))
    // A document that goes away takes what is not committed with it.
    store.transaction.commit()
    await added
    // It is kept, also where the connection is closed before there is time to trim.
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
      this.#lost("expired", delivery)
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
        // Closed by us before it was open.
        if (this.#opening !== opening) database.close()
        else this.#database = database
        // Somebody deletes it, because consent was withdrawn in another tab, or the visitor has cleared the storage.
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
      this.#lost("queue_overflow", delivery)
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
