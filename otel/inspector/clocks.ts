import { uptime } from "node:os"

/** Clocks that go on where someone sets the machine's clock. */

/**
 * A clock for durations, which never runs backwards: where someone sets the machine's clock back, it goes on from the time
 * that it had. A wait that the machine's clock measures would take an hour longer.
 *
 * @param clock milliseconds since the epoch.
 */
export function steadyClock(clock: () => number): () => number {
  let last = clock()
  let offset = 0
  return () => {
    const now = clock()
    if (now < last) offset += last - now
    last = now
    return now + offset
  }
}

/** What the machine's clock may gain on the time since its start before it counts as set: corrections and leap seconds are smaller. */
const TOLERANCE_MS = 600_000
/** After this long a clock that was set forward is believed: if it was a mistake, somebody has noticed. */
const DOUBT_MS = 86_400_000

/**
 * The machine's clock, as the retention goes by it. A clock that someone sets forward would delete days that are not old.
 * So the time goes on from before it was set, until the clock is set back, or has been ahead for a day. Time that the
 * machine slept is no doubt: it counts in both.
 *
 * @param now milliseconds since the epoch.
 * @param elapsed milliseconds of a clock that nobody sets. Default: the time since the machine started.
 */
export function retentionClock(now: () => number, elapsed: () => number = () => uptime() * 1_000): () => number {
  let believed = now()
  let at = elapsed()
  let doubtedAt: number | undefined
  return () => {
    const [clock, ticks] = [now(), elapsed()]
    const expected = believed + Math.max(0, ticks - at)
    const isAhead = clock > expected + TOLERANCE_MS
    doubtedAt = isAhead ? (doubtedAt ?? ticks) : undefined
    if (doubtedAt !== undefined && ticks - doubtedAt < DOUBT_MS) return expected
    believed = clock
    at = ticks
    doubtedAt = undefined
    return clock
  }
}
