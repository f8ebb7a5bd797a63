// Failures are recognized by name: the start command and the screens are bundled apart, so each has classes of its own.

/** Whether a query failed because the store is unavailable: it starts, restarts or is unreachable. The message says why. */
export function isStoreUnavailable(error: unknown): error is Error {
  return error instanceof Error && error.name === "StoreUnavailable"
}

/** Whether a query ended because its client disconnected or cancelled it. */
export function isQueryCancelled(error: unknown): boolean {
  return error instanceof Error && error.name === "QueryCancelled"
}
