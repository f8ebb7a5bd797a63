const NAMES: ReadonlyMap<string, string> = new Map([
  ["otlp", "OTLP"],
  ["sentry", "Sentry"],
])

/** The protocol that brought a span, as its makers write it. */
export function sourceName(source: string): string {
  return NAMES.get(source) ?? source
}
