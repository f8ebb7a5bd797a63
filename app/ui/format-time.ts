const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** How long ago, in the largest unit that fits: `now`, `12 s`, `3 m`, `5 h`, `2 d`. Milliseconds. */
export function formatAge(ageMs: number): string {
  if (ageMs < SECOND) return "now"
  if (ageMs < MINUTE) return `${Math.floor(ageMs / SECOND)}\u00A0s`
  if (ageMs < HOUR) return `${Math.floor(ageMs / MINUTE)}\u00A0m`
  if (ageMs < DAY) return `${Math.floor(ageMs / HOUR)}\u00A0h`
  return `${Math.floor(ageMs / DAY)}\u00A0d`
}

/** The largest distance from the epoch that a `Date` can hold. */
const DATE_LIMIT_MS = 8_640_000_000_000_000

/** ISO 8601 with all nine digits of the nanoseconds; the bare number when it is no date that a calendar reaches. */
export function isoTime(unixNano: bigint): string {
  const milliseconds = Number(unixNano / 1_000_000n)
  if (milliseconds > DATE_LIMIT_MS || unixNano < 0n) return String(unixNano)
  const [seconds] = new Date(milliseconds).toISOString().split(".")
  return `${seconds}.${String(unixNano % 1_000_000_000n).padStart(9, "0")}Z`
}

/** `2026-01-31 12:00:00.123 UTC`: the same on the server and in the page, wherever either is. */
export function formatMoment(unixNano: bigint): string {
  const iso = isoTime(unixNano)
  return iso.endsWith("Z") ? `${iso.slice(0, 23).replace("T", " ")} UTC` : iso
}
