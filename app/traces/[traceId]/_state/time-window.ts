/** A time range of the trace, in nanoseconds from its start. */
export interface TimeWindow {
  readonly from: number
  readonly to: number
}

/** Shortest range, in nanoseconds. */
const SMALLEST = 10

export function isWhole({ from, to }: TimeWindow, duration: number): boolean {
  return from <= 0 && to >= Math.max(1, duration)
}

/** Moves and shrinks a range until it lies within the trace. */
export function within({ from, to }: TimeWindow, duration: number): TimeWindow {
  const total = Math.max(1, duration)
  const length = Math.min(total, Math.max(Math.min(SMALLEST, total), to - from))
  const start = Math.min(Math.max(0, from), total - length)
  return { from: start, to: start + length }
}

/** @param factor below 1 zooms in. @param at fixed point, in nanoseconds. */
export function zoomed({ from, to }: TimeWindow, factor: number, at: number, duration: number): TimeWindow {
  return within({ from: at - (at - from) * factor, to: at + (to - at) * factor }, duration)
}

/** @param share of the length of the range; negative moves left. */
export function panned({ from, to }: TimeWindow, share: number, duration: number): TimeWindow {
  const by = (to - from) * share
  return within({ from: from + by, to: to + by }, duration)
}

/** Position of a moment in the range: 0 at its start, 1 at its end. */
export function shareOf({ from, to }: TimeWindow, at: number): number {
  return (at - from) / (to - from)
}
