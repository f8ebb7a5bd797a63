import { formatCount } from "#app/_ui/format/quantity.ts"
import { formatDuration } from "#app/_ui/format/time.ts"
import { type ChartAxis, type ChartUnit, intervalAt } from "./chart-data.ts"

const MINUTE = 60_000
const DAY = 86_400_000

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
export function formatInterval(x: ChartAxis, index: number): string {
  const [from, to] = intervalAt(x, index)
  if (x.kind === "ranges") return `${formatValue(from, x.unit)} to ${formatValue(to, x.unit)}`
  const digits = x.step < MINUTE ? 19 : 16
  const [start, end] = [isoText(from, digits), isoText(to, digits)]
  const sameDay = start.slice(0, 10) === end.slice(0, 10)
  return `${start} to ${sameDay ? end.slice(11) : end} UTC`
}

/** A tick label of a time axis in UTC: the time of day, or the date at midnight. */
export function formatTimeTick(milliseconds: number, apart: number): string {
  const iso = isoText(milliseconds, 19)
  if (milliseconds % DAY === 0) return iso.slice(5, 10)
  return apart < MINUTE ? iso.slice(11) : iso.slice(11, 16)
}

function isoText(milliseconds: number, digits: number): string {
  const date = new Date(milliseconds)
  return Number.isNaN(date.getTime()) ? "–" : date.toISOString().slice(0, digits).replace("T", " ")
}

function trimmed(value: number): string {
  return String(Number(value.toPrecision(3)))
}

function compact(value: number): string {
  const [divisor, name] = Math.abs(value) >= 1_000_000 ? [1_000_000, "M"] : [1_000, "k"]
  return `${trimmed(value / divisor)}${name}`
}
