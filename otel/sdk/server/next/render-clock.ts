/**
 * Milliseconds since the epoch, within a render. Not `Date.now()`: Next takes that for a dynamic value, and ends a prerender that
 * reads it.
 */
export function now(): number {
  return performance.timeOrigin + performance.now()
}
