import { safely } from "../../protocol/safely.ts"

/** Time in milliseconds since the epoch, and timers. A parameter where tests control the time. */
export interface Clock {
  now(): number
  setTimeout(callback: () => void, delayMs: number): number
  /** @param timer `undefined` where none was set. */
  clearTimeout(timer: number | undefined): void
}

/**
 * By how much the timeline may differ from the system clock. Firefox with `privacy.resistFingerprinting` has rounded each of the
 * three times that are compared by up to 100 ms.
 *
 * @see https://developer.mozilla.org/en-US/docs/Web/API/Performance/now#reduced_time_precision
 */
const DRIFT_LIMIT_MS = 300
/** The event that leads to a check happened up to this long before it. */
const LEAD_MS = 1_000
/** Origins that are remembered for earlier times, at most. */
const ORIGIN_LIMIT = 32

/** The 0 of the page's timeline in milliseconds since the epoch, and since when on the timeline it applies. */
type Origin = readonly [since: number, at: number]

// Newest first. Tools against fingerprinting replace the clock with getters that throw.
const origins: [Origin, ...Origin[]] = [[-Infinity, safely(() => performance.timeOrigin) ?? 0]]

/** The 0 of the page's timeline, in milliseconds since the epoch, as it applies now. */
export function currentOrigin(): number {
  return origins[0][1]
}

/**
 * Converts a time on the page's timeline (`performance.now()`, an event, a performance entry) to milliseconds since the
 * epoch, by the origin that applied then.
 */
export function epochTime(sinceTimeOrigin: number): number {
  const [, at] = origins.find(([since]) => sinceTimeOrigin >= since) ?? origins[0]
  return at + sinceTimeOrigin
}

/**
 * Follows the system clock if the timeline has left it: on most systems the timeline stands still while the machine sleeps, and
 * a clock can be set. Call it while no root is open: all times in a root have one origin.
 *
 * @see https://developer.mozilla.org/en-US/docs/Web/API/Performance/now#ticking_during_sleep
 */
export function followSystemClock(since = performance.now() - LEAD_MS): void {
  const at = Date.now() - performance.now()
  if (Math.abs(at - currentOrigin()) > DRIFT_LIMIT_MS && origins.unshift([since, at]) > ORIGIN_LIMIT)
    origins.splice(-2, 1)
}

/** The page's clock: monotonic, except where `followSystemClock` corrects it. */
export const pageClock: Clock = {
  now: () => epochTime(performance.now()),
  setTimeout: (callback, delayMs) => window.setTimeout(() => safely(callback), delayMs),
  clearTimeout: (timer) => window.clearTimeout(timer),
}
