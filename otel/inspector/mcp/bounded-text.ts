/** What fits into an agent's context beside its work. */
const TEXT_LIMIT = 16_000

// oxlint-disable-next-line no-control-regex -- they are what is meant
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]+/g

/** The lines that fit, and how many do not. */
export function boundedText(lines: readonly string[]): string {
  let length = 0
  const kept = lines.findIndex((line) => (length += line.length + 1) > TEXT_LIMIT)
  if (kept === -1) return lines.join("\n")
  return [...lines.slice(0, kept), `(${lines.length - kept} more lines are left out)`].join("\n")
}

/** One line, of at most so many characters. */
export function oneLine(text: string, limit = 200): string {
  const line = text.replaceAll(CONTROL, " ").trim()
  return line.length <= limit ? line : `${line.slice(0, limit)}… (${line.length} characters)`
}

/** Three digits and a unit. */
export function milliseconds(nanos: number): string {
  return `${Number((nanos / 1e6).toPrecision(3))} ms`
}
