import { safely } from "../../protocol/safely.ts"

// What the tracer stores in the browser, for all tabs of the origin.

/** Name of the IndexedDB database with deliveries that could not be sent. */
export const OFFLINE_DATABASE = "pagespan"
/** Key of the visitor's session in `localStorage`. */
export const SESSION_KEY = "pagespan.session"

/** Deletes all of it. Storage that is forbidden holds nothing. */
export function deleteStoredData(): void {
  safely(() => window.localStorage.removeItem(SESSION_KEY))
  safely(() => void indexedDB.deleteDatabase(OFFLINE_DATABASE))
}
