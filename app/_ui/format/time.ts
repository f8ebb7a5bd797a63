const UNITS = [
  { nanos: 1_000_000_000n, name: "s" },
  { nanos: 1_000_000n, name: "ms" },
  { nanos: 1_000n, name: "µs" },
] as const

const MINUTE = 60_000_000_000n
const HOUR = 60n * MINUTE
const DAY = 24n * HOUR
const NO_BREAK_SPACE = "\u00A0"

/** Three significant digits, as a person compares lengths: `845 ns`, `12.3 µs`, `1.24 s`, `2 m 3 s`. Nanoseconds. */
export function formatDuration(duration: bigint): string {
  if (duration < 0n) return `−${formatDuration(-duration)}`
  if (duration >= DAY) return pair(duration, DAY, "d", HOUR, "h")
  if (duration >= HOUR) return pair(duration, HOUR, "h", MINUTE, "m")
  if (duration >= MINUTE) return pair(duration, MINUTE, "m", UNITS[0].nanos, "s")
  const unit = UNITS.find(({ nanos }) => duration >= nanos)
  if (unit === undefined) return `${duration}${NO_BREAK_SPACE}ns`
  return `${threeDigits(duration, unit.nanos)}${NO_BREAK_SPACE}${unit.name}`
}

/** To the last nanosecond, with digits in groups. */
export function formatNanoseconds(duration: bigint): string {
  return `${duration.toLocaleString("en-US")}${NO_BREAK_SPACE}ns`
}

function pair(duration: bigint, large: bigint, largeName: string, small: bigint, smallName: string): string {
  const space = NO_BREAK_SPACE
  return `${duration / large}${space}${largeName}${space}${(duration % large) / small}${space}${smallName}`
}

/** Cut, not rounded: 999.96 ms must not read as 1000 ms. */
function threeDigits(duration: bigint, unit: bigint): string {
  const places = duration >= unit * 100n ? 0 : duration >= unit * 10n ? 1 : 2
  const [whole, fraction] = [duration / unit, ((duration % unit) * 10n ** BigInt(places)) / unit]
  return places === 0 ? String(whole) : `${whole}.${String(fraction).padStart(places, "0")}`
}

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** How long ago, in the largest unit that fits: `now`, `12 s`, `3 m`, `5 h`, `2 d`. Milliseconds. */
export function formatAge(ageMs: number): string {
  if (ageMs < SECOND_MS) return "now"
  if (ageMs < MINUTE_MS) return `${Math.floor(ageMs / SECOND_MS)}\u00A0s`
  if (ageMs < HOUR_MS) return `${Math.floor(ageMs / MINUTE_MS)}\u00A0m`
  if (ageMs < DAY_MS) return `${Math.floor(ageMs / HOUR_MS)}\u00A0h`
  return `${Math.floor(ageMs / DAY_MS)}\u00A0d`
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
