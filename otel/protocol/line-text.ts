/** Text on one line of a terminal or a log. */

// oxlint-disable-next-line no-control-regex -- it matches control characters on purpose
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g
const MINUTE_NANOS = 60e9

/** Replaces control characters, which a terminal would execute, and all line breaks by spaces. */
export function plain(text: string): string {
  return text.replace(CONTROL, " ")
}

/** Three digits and a unit. */
export function duration(nanos: bigint | number | string): string {
  const value = Number(nanos)
  if (value >= MINUTE_NANOS) return `${(value / MINUTE_NANOS).toFixed(1)} min`
  if (value >= 1e9) return `${(value / 1e9).toPrecision(3)} s`
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3))} ms`
  return `${Number((value / 1e3).toPrecision(3))} µs`
}
