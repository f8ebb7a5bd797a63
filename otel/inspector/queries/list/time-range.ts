import { fromMilliseconds, nanoseconds, type Nanoseconds } from "../../../protocol/records/time.ts"
import type { ParameterReader } from "./parameter-reader.ts"
import { timeSteps } from "./trace-overview.ts"

/** The time window of a screen, from `since` and `until` in its URL: ages like `15m`, `1h` or `7d`, or RFC 3339 times. */

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const UNIT_MS = { s: SECOND, m: MINUTE, h: HOUR, d: DAY } as const
const AGE = /^(\d{1,6})([smhd])$/
/** RFC 3339 with its time zone: without one, the moment would depend on the server's zone. */
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/

/** The expected values, for a notice. */
export const AGE_OR_MOMENT = "an age like 15m, 1h or 7d, nor a time like 2026-01-31T12:00:00Z"

/**
 * `undefined` for a text that is neither an age nor a time.
 *
 * @param nowMs milliseconds since the epoch: an age counts back from it.
 */
export function momentOrAge(text: string, nowMs: number): Nanoseconds | undefined {
  return sinceEpoch(ageMs(text, nowMs) ?? momentMs(text))
}

/** Length of an age in milliseconds; `undefined` for a text that is none. */
export function parseAge(text: string): number | undefined {
  const [, count, unit] = AGE.exec(text) ?? []
  return count === undefined ? undefined : Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS]
}

function ageMs(text: string, nowMs: number): number | undefined {
  const age = parseAge(text)
  return age === undefined ? undefined : nowMs - age
}

/** An age of that length in its largest whole unit, such as `90m`. Whole seconds. */
export function ageText(milliseconds: number): string {
  const [unit, ms] = Object.entries(UNIT_MS).findLast(([, each]) => milliseconds % each === 0) ?? ["s", SECOND]
  return `${milliseconds / ms}${unit}`
}

function momentMs(text: string): number | undefined {
  const milliseconds = MOMENT.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(milliseconds) ? undefined : milliseconds
}

/** The store's times begin at the epoch: an earlier time includes everything. */
function sinceEpoch(milliseconds: number | undefined): Nanoseconds | undefined {
  if (milliseconds === undefined) return undefined
  return milliseconds < 0 ? nanoseconds(0n) : fromMilliseconds(milliseconds)
}

/**
 * Reads `since` and `until`, each of which may be missing. A `since` that is not before `until` is ignored, with a notice.
 *
 * @param nowMs milliseconds since the epoch: an age counts back from it.
 */
export function readMoments(
  reader: ParameterReader,
  nowMs: number,
): { readonly since: Nanoseconds | undefined; readonly until: Nanoseconds | undefined } {
  const read = (name: string) => reader.read(name, (text) => momentOrAge(text, nowMs), AGE_OR_MOMENT)
  const [since, until] = [read("since"), read("until")]
  if (since === undefined || until === undefined || since < until) return { since, until }
  reader.notices.push(EMPTY_WINDOW)
  return { since: undefined, until }
}

const EMPTY_WINDOW = "since is not before the end of the time window, which would be empty"

/** Milliseconds since the epoch, and adjacent steps of equal length that cover the window. */
export interface TimeRange {
  readonly fromMs: number
  readonly toMs: number
  readonly from: Nanoseconds
  readonly until: Nanoseconds
  readonly steps: Steps
  /** The texts of the URL where they were valid, for links. */
  readonly since: string | undefined
  readonly untilText: string | undefined
}

export interface Steps {
  readonly fromMs: number
  readonly stepMs: number
  readonly count: number
}

/** @param defaultAge the window when the URL names none, like `24h`. */
export function parseTimeRange(reader: ParameterReader, nowMs: number, defaultAge: string): TimeRange {
  const read = (name: string) =>
    reader.read(
      name,
      (text) => {
        const ms = pastMs(text, nowMs)
        return ms === undefined ? undefined : { text, ms }
      },
      AGE_OR_MOMENT,
    )
  const until = read("until")
  const given = read("since")
  const toMs = until?.ms ?? nowMs
  const since = given === undefined || given.ms < toMs ? given : undefined
  if (since !== given) reader.notices.push(EMPTY_WINDOW)
  const fromMs = Math.max(0, since?.ms ?? toMs - (nowMs - (pastMs(defaultAge, nowMs) ?? 0)))
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

/** An age that reaches before the epoch ends there; a time before the epoch is invalid. */
function pastMs(text: string, nowMs: number): number | undefined {
  const age = ageMs(text, nowMs)
  if (age !== undefined) return Math.max(0, age)
  const time = momentMs(text)
  return time === undefined || time < 0 ? undefined : time
}

/** The shortest round steps that cover the window. */
export function stepsOf(fromMs: number, toMs: number): Steps {
  const { from, stepMs, count } = timeSteps(fromMs, toMs)
  return { fromMs: Number(from / 1_000_000n), stepMs, count }
}
