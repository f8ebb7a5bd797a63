import type { Clock } from "./roots/idle-rule.ts"

/** The page's monotonic clock, as milliseconds since the epoch: it does not jump when the system's time is set. */
export const pageClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  setTimeout: (callback, delayMs) => window.setTimeout(callback, delayMs),
  clearTimeout: (timer) => window.clearTimeout(timer),
}
