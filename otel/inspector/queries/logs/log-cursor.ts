import type { LogJson } from "./log-json.ts"

/**
 * The cursor of the list behind this log, in either order: `after` of the read API, as `next` of a page that ends with the log.
 * It runs in pages too, which load nothing else with it.
 */
export function logCursor({ timeUnixNano, logId }: Pick<LogJson, "timeUnixNano" | "logId">): string {
  return btoa(`logs.${timeUnixNano}.${logId}`).replaceAll("=", "").replaceAll("+", "-").replaceAll("/", "_")
}
