import { fromMilliseconds, type Nanoseconds } from "../model/time.ts"
import { timeSteps } from "./trace-overview.ts"
import type { ParameterReader } from "./parameter-reader.ts"

/**
 * The window of time that a screen shows, from `since` and `until` in the URL: an age like `15m`, `1h` or `7d`, or a time
 * of RFC 3339.
 */

/** Milliseconds since the epoch, and neighbouring steps of one length that cover the window. */
export interface TimeRange {
  readonly fromMs: number
  readonly toMs: number
  readonly from: Nanoseconds
  readonly until: Nanoseconds
  readonly steps: Steps
  /** The texts of the URL where they were usable, to keep in links. */
  readonly since: string | undefined
  readonly untilText: string | undefined
}

export interface Steps {
  readonly fromMs: number
  readonly stepMs: number
  readonly count: number
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const UNIT_MS = { s: SECOND, m: MINUTE, h: HOUR, d: DAY } as const
const AGE = /^(\d{1,6})([smhd])$/
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/

/** @param defaultAge what is shown when the URL says nothing, like `24h`. */
export function parseTimeRange(reader: ParameterReader, nowMs: number, defaultAge: string): TimeRange {
  const read = (name: string) =>
    reader.read(
      name,
      (text) => {
        const ms = momentOf(text, nowMs)
        return ms === undefined ? undefined : { text, ms }
      },
      "an age like 15m, 1h or 7d, nor a time like 2026-01-31T12:00:00Z",
    )
  const until = read("until")
  const told = read("since")
  const toMs = until?.ms ?? nowMs
  const since = told === undefined || told.ms < toMs ? told : undefined
  if (since !== told) reader.notices.push("since is not before the end of the window: nothing could be in it")
  const fromMs = Math.max(0, since?.ms ?? toMs - (nowMs - (momentOf(defaultAge, nowMs) ?? 0)))
  return {
    fromMs,
    toMs,
    from: fromMilliseconds(fromMs),
    until: fromMilliseconds(toMs),
    steps: stepsOf(fromMs, toMs),
    since: since?.text,
    untilText: until?.text,
  }
}

/** The shortest steps that cover the window, of a length that people count in. */
export function stepsOf(fromMs: number, toMs: number): Steps {
  const { from, stepMs, count } = timeSteps(fromMs, toMs)
  return { fromMs: Number(from / 1_000_000n), stepMs, count }
}

function momentOf(text: string, nowMs: number): number | undefined {
  const [, count, unit] = AGE.exec(text) ?? []
  if (count !== undefined) return Math.max(0, nowMs - Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS])
  const moment = MOMENT.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(moment) || moment < 0 ? undefined : moment
}
