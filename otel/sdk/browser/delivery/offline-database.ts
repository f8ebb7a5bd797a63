/** Name of the IndexedDB database. */
export const OFFLINE_DATABASE = "pagespan"

/** Deletes the stored deliveries of all tabs. */
export function deleteOfflineDatabase(): void {
  try {
    indexedDB.deleteDatabase(OFFLINE_DATABASE)
  } catch {
    // A page without storage has stored nothing.
  }
}
