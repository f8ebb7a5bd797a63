/** Name of the database in the page's origin. */
export const OFFLINE_DATABASE = "pagespan"

/** Deletes what is kept, in every tab. */
export function deleteOfflineDatabase(): void {
  try {
    indexedDB.deleteDatabase(OFFLINE_DATABASE)
  } catch {
    // A page without storage has kept nothing.
  }
}
