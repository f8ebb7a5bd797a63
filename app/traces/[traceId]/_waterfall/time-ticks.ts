import type { TimeWindow } from "../_state/time-window.ts"

export interface TimeTick {
  /** Nanoseconds from the earliest start of the trace. */
  readonly at: number
  readonly label: string
}

const NO_BREAK_SPACE = "\u00A0"
const UNITS = [
  { nanos: 1e9, name: "s" },
  { nanos: 1e6, name: "ms" },
  { nanos: 1e3, name: "µs" },
  { nanos: 1, name: "ns" },
] as const
const MINUTE = 60e9
/** Steps above one second, in seconds. */
const LONG_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400]

/** At most `most` round moments of the range, with just enough digits to distinguish them. */
export function timeTicks({ from, to }: TimeWindow, most: number): TimeTick[] {
  const step = niceStep((to - from) / Math.max(1, most))
  const ticks: TimeTick[] = []
  for (let count = Math.ceil(from / step); count * step <= to; count++)
    ticks.push({ at: count * step, label: tickLabel(count * step, step, to) })
  return ticks
}

/** The next round step in nanoseconds: 1, 2 or 5 times a power of ten, or a clock step above one second. */
function niceStep(least: number): number {
  if (least > 1e9) {
    const seconds = LONG_STEPS.find((each) => each * 1e9 >= least)
    if (seconds !== undefined) return seconds * 1e9
  }
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)))
  const round = [1, 2, 5, 10].find((each) => each * power >= least) ?? 10
  return Math.max(1, round * power)
}

function tickLabel(at: number, step: number, to: number): string {
  if (at === 0) return "0"
  if (to >= 2 * MINUTE && step >= 1e9) return clock(at, step)
  const unit = UNITS.find(({ nanos }) => Math.abs(to) >= nanos) ?? UNITS[3]
  const digits = Math.max(0, Math.ceil(Math.log10(unit.nanos / step)))
  return `${(at / unit.nanos).toFixed(digits)}${NO_BREAK_SPACE}${unit.name}`
}

/** `2:05`, `1:02:05`; whole minutes as `5 m`, whole hours as `2 h`. */
function clock(at: number, step: number): string {
  const seconds = Math.round(at / 1e9)
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60]
  if (step >= 3_600e9) return `${hours}${NO_BREAK_SPACE}h`
  if (step >= MINUTE && hours === 0) return `${minutes}${NO_BREAK_SPACE}m`
  const tail = `${String(minutes).padStart(hours > 0 ? 2 : 1, "0")}:${String(rest).padStart(2, "0")}`
  return hours > 0 ? `${hours}:${tail}` : tail
}
