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
