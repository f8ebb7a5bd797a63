import { formatCount } from "#app/_ui/format/quantity.ts"
import { formatDuration } from "#app/_ui/format/time.ts"
import { UTC, type Zone, zonedText, zoneLabel } from "#app/_ui/format/zone.ts"
import { type ChartAxis, type ChartUnit, intervalAt } from "./chart-data.ts"

const SECOND = 1_000
const MINUTE = 60 * SECOND

export function formatValue(value: number | null | undefined, unit: ChartUnit): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–"
  if (unit === "nanoseconds") return formatDuration(BigInt(Math.round(value)))
  if (unit === "milliseconds") return formatDuration(BigInt(Math.round(value * 1_000_000)))
  if (unit === "share") return `${trimmed(value * 100)}\u00A0%`
  return unit === "score" ? String(Number(value.toFixed(3))) : formatCount(value)
}

/** A tick label, with no more digits than needed to distinguish ticks. */
export function formatTick(value: number, unit: ChartUnit): string {
  if (value === 0) return "0"
  if (unit === "nanoseconds" || unit === "milliseconds") return formatValue(value, unit).replace(/\.0+(?=\D)/, "")
  if (unit === "count" && Math.abs(value) >= 1_000) return compact(value)
  return formatValue(value, unit)
}

/** An interval as text: `2026-01-31 12:00 to 12:05 UTC`, `100 ms to 200 ms`. */
export function formatInterval(x: ChartAxis, index: number, zone: Zone = UTC): string {
  const [from, to] = intervalAt(x, index)
  if (x.kind === "ranges") return `${formatValue(from, x.unit)} to ${formatValue(to, x.unit)}`
  const digits = x.step < MINUTE ? 19 : 16
  const [start, end] = [timeText(from, digits, zone), timeText(to, digits, zone)]
  const sameDay = start.slice(0, 10) === end.slice(0, 10)
  return `${start} to ${sameDay ? end.slice(11) : end} ${axisZone(x, zone)}`
}

/** A tick label of a time axis: the time of day, or the date at midnight. */
export function formatTimeTick(milliseconds: number, apart: number, zone: Zone = UTC): string {
  const text = timeText(milliseconds, 19, zone)
  if (apart < SECOND) return text.slice(11) + fractionText(milliseconds)
  if (text.endsWith(" 00:00:00")) return text.slice(5, 10)
  return apart < MINUTE ? text.slice(11) : text.slice(11, 16)
}

/** The part of a second: `.5`; empty at a whole one. */
function fractionText(milliseconds: number): string {
  const part = (Math.round(milliseconds % SECOND) + SECOND) % SECOND
  return part === 0 ? "" : String(part / SECOND).slice("0".length)
}

/** The zone of a time axis, at its start: `UTC`, `UTC+1`. Empty for another axis. */
export function axisZone(x: ChartAxis, zone: Zone): string {
  return x.kind === "time" && isTime(x.from) ? zoneLabel(x.from, zone) : ""
}

function timeText(milliseconds: number, digits: number, zone: Zone): string {
  return isTime(milliseconds) ? zonedText(milliseconds, zone).slice(0, digits) : "–"
}

function isTime(milliseconds: number): boolean {
  return !Number.isNaN(new Date(milliseconds).getTime())
}

function trimmed(value: number): string {
  return String(Number(value.toPrecision(3)))
}

function compact(value: number): string {
  const [divisor, name] = Math.abs(value) >= 1_000_000 ? [1_000_000, "M"] : [1_000, "k"]
  return `${trimmed(value / divisor)}${name}`
}
