import { ACTION_HEADER, ACTION_STORAGE } from "#otel/inspector/queries/action-key.ts"

/** Headers of a request that changes data. Empty where no token is configured, or where storage is blocked. */
export function actionHeaders(): Record<string, string> {
  try {
    const key = localStorage.getItem(ACTION_STORAGE)
    return key === null ? {} : { [ACTION_HEADER]: key }
  } catch {
    return {}
  }
}
