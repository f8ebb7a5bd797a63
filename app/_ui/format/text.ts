/**
 * Makes text from outside safe to display: characters that are invisible, reverse or move text are shown as code points. React
 * escapes markup.
 */

/** Control characters except tab and line feed, zero-width and bidirectional controls, line separators, tags, the byte order mark and lone surrogates. */
const UNSEEN =
  // oxlint-disable-next-line no-control-regex -- finding control characters is the purpose
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u2064\u2066-\u206F\uFEFF\u{E0000}-\u{E007F}\p{Surrogate}]/gu

/** Longest name in characters; longer names are truncated. */
const NAME_LIMIT = 300

export function shownText(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`)
}

/** `shownText` for one line: without line breaks, never empty, and of bounded length. */
export function shownName(name: string, limit = NAME_LIMIT): string {
  const line = shownText(name.slice(0, limit)).replace(/\s+/g, " ").trim()
  if (line === "") return "(no name)"
  return name.length > limit ? `${line}…` : line
}

const NAMES: ReadonlyMap<string, string> = new Map([
  ["otlp", "OTLP"],
  ["sentry", "Sentry"],
])

/** Display name of a protocol. */
export function sourceName(source: string): string {
  return NAMES.get(source) ?? source
}
