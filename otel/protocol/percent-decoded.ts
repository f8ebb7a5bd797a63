/**
 * Percent-decodes a text. A text with an invalid escape, which a visitor or another service may write, stays as it is.
 *
 * @example
 * percentDecoded("caf%C3%A9") // "café"
 * percentDecoded("100%") // "100%"
 */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
