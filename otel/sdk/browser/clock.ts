import { safely } from "../safely.ts"
import type { Clock } from "./roots/page-root.ts"

/** Stays as it is while the document lives, and asking for it costs more than asking for the time. */
let timeOrigin: number | undefined

/**
 * A moment of the page's own timeline (`performance.now()`, an event, a performance entry) as milliseconds since the
 * epoch. A page without a readable `performance.timeOrigin` has one that the system's clock tells.
 */
export function epochTime(sinceTimeOrigin: number): number {
  return (timeOrigin ??= readTimeOrigin() ?? Date.now() - performance.now()) + sinceTimeOrigin
}

/** The page's monotonic clock, as milliseconds since the epoch: it does not jump when the system's time is set. */
export const pageClock: Clock = {
  now: () => epochTime(performance.now()),
  setTimeout: (callback, delayMs) => window.setTimeout(() => safely(callback), delayMs),
  clearTimeout: (timer) => window.clearTimeout(timer),
}

function readTimeOrigin(): number | undefined {
  try {
    return performance.timeOrigin
  } catch {
    // Tools that hide a visitor's clock replace it by what throws.
    return undefined
  }
}
