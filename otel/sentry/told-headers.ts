/** Headers of a request or an answer that may be told. An allow-list: a deny-list forgets. */
export const TOLD_HEADERS: readonly string[] = [
  "accept",
  "accept-language",
  "content-length",
  "content-type",
  "host",
  "referer",
  "user-agent",
]

const TOLD: ReadonlySet<string> = new Set(TOLD_HEADERS)
const HEADER_ATTRIBUTE = /^http\.(?:request|response)\.header\.(.+)$/

/** Whether an attribute may be told as far as headers go. OpenTelemetry keeps dashes in the name, Sentry has underscores. */
export function isTold(attribute: string): boolean {
  const header = HEADER_ATTRIBUTE.exec(attribute)?.[1]
  return header === undefined || TOLD.has(header.toLowerCase().replaceAll("_", "-"))
}
