/** Most texts that are remembered. Past it all are forgotten. */
const TEXT_LIMIT = 2_000
/** Longer texts hardly ever repeat. */
const LENGTH_LIMIT = 256

/**
 * Remembers in which texts redaction has found nothing: the names, routes, methods and headers of a server's spans repeat with each
 * request. A text with a secret is not remembered.
 */
export class CleanTexts {
  readonly #byKey = new Map<string, Set<string>>()
  #size = 0

  /** What `redact` makes of a value, which may depend on the key and the value alone. */
  redacted<Value>(key: string, value: Value, redact: (key: string, value: Value) => Value | string): Value | string {
    if (typeof value !== "string" || value.length > LENGTH_LIMIT) return redact(key, value)
    if (this.#byKey.get(key)?.has(value)) return value
    const redacted = redact(key, value)
    if (redacted === value) this.#remember(key, value)
    return redacted
  }

  #remember(key: string, text: string): void {
    if (this.#size >= TEXT_LIMIT) {
      this.#byKey.clear()
      this.#size = 0
    }
    const texts = this.#byKey.get(key)
    if (texts === undefined) this.#byKey.set(key, new Set([text]))
    else texts.add(text)
    this.#size += 1
  }
}
