import { fromMilliseconds, nanoseconds, type Nanoseconds } from "../model/time.ts"

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
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
