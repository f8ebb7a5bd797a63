import type { Clock } from "./roots/idle-rule.ts"

/** Stays as it is while the document lives, and asking for it costs more than asking for the time. */
let timeOrigin: number | undefined

/** The page's monotonic clock, as milliseconds since the epoch: it does not jump when the system's time is set. */
export const pageClock: Clock = {
  now: () => (timeOrigin ??= performance.timeOrigin) + performance.now(),
  setTimeout: (callback, delayMs) => window.setTimeout(callback, delayMs),
  clearTimeout: (timer) => window.clearTimeout(timer),
}
