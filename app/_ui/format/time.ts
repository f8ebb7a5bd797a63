import { UTC, type Zone, zonedText, zoneLabel } from "./zone.ts"

const UNITS = [
  { nanos: 1_000_000_000n, name: "s" },
  { nanos: 1_000_000n, name: "ms" },
  { nanos: 1_000n, name: "µs" },
] as const

const MINUTE = 60_000_000_000n
const HOUR = 60n * MINUTE
const DAY = 24n * HOUR
const NO_BREAK_SPACE = "\u00A0"

/** A duration in nanoseconds, rounded to three significant digits: `845 ns`, `12.3 µs`, `1.24 s`, `2 m 3 s`. */
export function formatDuration(duration: bigint): string {
  if (duration < 0n) return `−${formatDuration(-duration)}`
  const step = stepOf(duration)
  // Rounding may carry into the next unit: 999.96 ms reads 1.00 s.
  const rounded = ((duration + step / 2n) / step) * step
  if (rounded >= DAY) return pair(rounded, DAY, "d", HOUR, "h")
  if (rounded >= HOUR) return pair(rounded, HOUR, "h", MINUTE, "m")
  if (rounded >= MINUTE) return pair(rounded, MINUTE, "m", UNITS[0].nanos, "s")
  const unit = UNITS.find(({ nanos }) => rounded >= nanos)
  if (unit === undefined) return `${rounded}${NO_BREAK_SPACE}ns`
  return `${threeDigits(rounded, unit.nanos)}${NO_BREAK_SPACE}${unit.name}`
}

/** Nanoseconds of the last digit that is shown. */
function stepOf(duration: bigint): bigint {
  if (duration >= DAY) return HOUR
  if (duration >= HOUR) return MINUTE
  if (duration >= MINUTE) return UNITS[0].nanos
  const unit = UNITS.find(({ nanos }) => duration >= nanos)?.nanos ?? 1n
  return unit === 1n ? unit : unit / 10n ** placesOf(duration, unit)
}

/** Decimal places that make three significant digits. */
function placesOf(duration: bigint, unit: bigint): bigint {
  return duration >= unit * 100n ? 0n : duration >= unit * 10n ? 1n : 2n
}

/** Exact nanoseconds with digit groups: `1,234,567 ns`. */
export function formatNanoseconds(duration: bigint): string {
  return `${duration.toLocaleString("en-US")}${NO_BREAK_SPACE}ns`
}

function pair(duration: bigint, large: bigint, largeName: string, small: bigint, smallName: string): string {
  const space = NO_BREAK_SPACE
  return `${duration / large}${space}${largeName}${space}${(duration % large) / small}${space}${smallName}`
}

function threeDigits(duration: bigint, unit: bigint): string {
  const places = placesOf(duration, unit)
  const [integer, fraction] = [duration / unit, ((duration % unit) * 10n ** places) / unit]
  return places === 0n ? String(integer) : `${integer}.${String(fraction).padStart(Number(places), "0")}`
}

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** An age in its largest unit: `now`, `12 s`, `3 m`, `5 h`, `2 d`. Milliseconds. */
export function formatAge(ageMs: number): string {
  if (ageMs < SECOND_MS) return "now"
  if (ageMs < MINUTE_MS) return `${Math.floor(ageMs / SECOND_MS)}\u00A0s`
  if (ageMs < HOUR_MS) return `${Math.floor(ageMs / MINUTE_MS)}\u00A0m`
  if (ageMs < DAY_MS) return `${Math.floor(ageMs / HOUR_MS)}\u00A0h`
  return `${Math.floor(ageMs / DAY_MS)}\u00A0d`
}

/**
 * How often something happens, in the unit that makes it at least one: `12/s`, `3.4/min`, `2/h`.
 *
 * @param largest count that decides the unit, so that the rates of a list compare. Default: `count`.
 */
export function formatRate(count: number, lengthMs: number, largest = count): string {
  const units = [
    [SECOND_MS, "s"],
    [MINUTE_MS, "min"],
    [HOUR_MS, "h"],
    [DAY_MS, "d"],
  ] as const
  const [unitMs, name] = units.find(([each]) => (largest * each) / lengthMs >= 1) ?? ([DAY_MS, "d"] as const)
  const rate = (count * unitMs) / lengthMs
  if (rate > 0 && rate < 0.01) return `<0.01/${name}`
  return `${Number(rate.toPrecision(rate >= 100 ? 3 : 2)).toLocaleString("en-US")}/${name}`
}

/** An age within a sentence: `just now`, `12 s ago`. Milliseconds. */
export function formatAgo(ageMs: number): string {
  return ageMs < SECOND_MS ? "just now" : `${formatAge(ageMs)} ago`
}

/** Largest time value of a `Date`: https://tc39.es/ecma262/#sec-time-values-and-time-range */
const DATE_LIMIT_MS = 8_640_000_000_000_000

/** ISO 8601 with nanoseconds; the plain number when it exceeds the range of `Date`. */
export function isoTime(unixNano: bigint): string {
  const milliseconds = Number(unixNano / 1_000_000n)
  if (milliseconds > DATE_LIMIT_MS || unixNano < 0n) return String(unixNano)
  const [seconds] = new Date(milliseconds).toISOString().split(".")
  return `${seconds}.${String(unixNano % 1_000_000_000n).padStart(9, "0")}Z`
}

/** `2026-01-31 12:00:00.123 UTC`: independent of the locale, so server and browser render the same text. */
export function formatMoment(unixNano: bigint, zone: Zone = UTC): string {
  const iso = isoTime(unixNano)
  if (!iso.endsWith("Z")) return iso
  const milliseconds = Number(unixNano / 1_000_000n)
  return `${zonedText(milliseconds, zone)}${iso.slice(19, 23)} ${zoneLabel(milliseconds, zone)}`
}

/** A moment as a URL parameter. Milliseconds since the epoch. */
export function momentText(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
