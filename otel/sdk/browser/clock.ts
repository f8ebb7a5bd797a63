import { safely } from "../../protocol/safely.ts"

/** Time in milliseconds since the epoch, and timers. A parameter where tests control the time. */
export interface Clock {
  now(): number
  setTimeout(callback: () => void, delayMs: number): number
  clearTimeout(timer: number): void
}

/** Constant for the life of a document. Reading it is slower than reading the time. */
let timeOrigin: number | undefined

/**
 * Converts a time on the page's timeline (`performance.now()`, an event, a performance entry) to milliseconds since the
 * epoch. Where `performance.timeOrigin` cannot be read, the system clock replaces it.
 */
export function epochTime(sinceTimeOrigin: number): number {
  return (timeOrigin ??= readTimeOrigin() ?? Date.now() - performance.now()) + sinceTimeOrigin
}

/** The page's monotonic clock: it does not jump when the system time is set. */
export const pageClock: Clock = {
  now: () => epochTime(performance.now()),
  setTimeout: (callback, delayMs) => window.setTimeout(() => safely(callback), delayMs),
  clearTimeout: (timer) => window.clearTimeout(timer),
}

function readTimeOrigin(): number | undefined {
  try {
    return performance.timeOrigin
  } catch {
    // Tools against fingerprinting replace the clock with getters that throw.
    return undefined
  }
}
