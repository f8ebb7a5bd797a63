/** Headers of a request or an answer that may be told. An allow-list: a deny-list forgets. */
const told = new Set(["accept", "accept-language", "content-length", "content-type", "host", "referer", "user-agent"])

const HEADER_ATTRIBUTE = /^http\.(?:request|response)\.header\.(.+)$/

/** Adds what an app wants to be told besides; once, before anything is. @param names in lower case. */
export function tellHeaders(names: readonly string[]): void {
  for (const name of names) told.add(name)
}

export function toldHeaders(): string[] {
  return [...told]
}

/** Whether an attribute may be told as far as headers go. OpenTelemetry keeps dashes in the name, Sentry has underscores. */
export function isTold(attribute: string): boolean {
  const header = HEADER_ATTRIBUTE.exec(attribute)?.[1]
  return header === undefined || told.has(header.toLowerCase().replaceAll("_", "-"))
}
