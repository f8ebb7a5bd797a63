import type { Page } from "playwright-core"

export interface StoredDelivery {
  readonly kind: string
  readonly at: number
  readonly body: string
}

/** The stored deliveries of the page's origin, oldest first. */
export function storedDeliveries(page: Page): Promise<StoredDelivery[]> {
  return page.evaluate(async () => {
    const known = await indexedDB.databases()
    if (!known.some(({ name }) => name === "pagespan")) return []
    const opening = indexedDB.open("pagespan")
    // The page deleted the database meanwhile: reading it must not create an empty one.
    opening.onupgradeneeded = () => opening.transaction?.abort()
    const done = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
      })
    const database = await done(opening).catch((error: unknown) => {
      if (error instanceof DOMException && error.name === "AbortError") return undefined
      throw error
    })
    if (database === undefined) return []
    try {
      return (await done(database.transaction("deliveries").objectStore("deliveries").getAll())) as StoredDelivery[]
    } finally {
      database.close()
    }
  })
}
