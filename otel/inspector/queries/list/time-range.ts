import { fromMilliseconds, nanoseconds, type Nanoseconds } from "../../../protocol/records/time.ts"
import type { ParameterReader } from "./parameter-reader.ts"
import { timeSteps } from "./trace-overview.ts"

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const UNIT_MS = { s: SECOND, m: MINUTE, h: HOUR, d: DAY } as const
const AGE = /^(\d{1,6})([smhd])$/
/** RFC 3339 with its time zone: without one, the moment would depend on where the server runs. */
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/

/** `undefined` for a text that is neither. @param nowMs Milliseconds since the epoch: an age like `15m` counts back from here. */
export function momentOrAge(text: string, nowMs: number): Nanoseconds | undefined {
  const age = AGE.exec(text)
  if (age) return sinceEpoch(nowMs - Number(age[1]) * UNIT_MS[age[2] as keyof typeof UNIT_MS])
  return moment(text)
}

export function moment(text: string): Nanoseconds | undefined {
  const milliseconds = MOMENT.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(milliseconds) ? undefined : sinceEpoch(milliseconds)
}

/** The store counts time from the epoch on: what reaches further back means everything. */
function sinceEpoch(milliseconds: number): Nanoseconds {
  return milliseconds < 0 ? nanoseconds(0n) : fromMilliseconds(milliseconds)
}

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
