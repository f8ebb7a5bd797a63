/** A part of the trace's time: nanoseconds from its earliest start. */
export interface TimeWindow {
  readonly from: number
  readonly to: number
}

/** The closest that one can look: ten nanoseconds. */
const SMALLEST = 10

export function isWhole({ from, to }: TimeWindow, duration: number): boolean {
  return from <= 0 && to >= Math.max(1, duration)
}

/** The same window, moved and narrowed until it lies within the trace. */
export function within({ from, to }: TimeWindow, duration: number): TimeWindow {
  const whole = Math.max(1, duration)
  const length = Math.min(whole, Math.max(Math.min(SMALLEST, whole), to - from))
  const start = Math.min(Math.max(0, from), whole - length)
  return { from: start, to: start + length }
}

/** @param factor below 1 looks closer. @param at nanoseconds, which stay where they are on the screen. */
export function zoomed({ from, to }: TimeWindow, factor: number, at: number, duration: number): TimeWindow {
  return within({ from: at - (at - from) * factor, to: at + (to - at) * factor }, duration)
}

/** @param share of the window's length; negative is to the left. */
export function panned({ from, to }: TimeWindow, share: number, duration: number): TimeWindow {
  const by = (to - from) * share
  return within({ from: from + by, to: to + by }, duration)
}

/** Where a moment is in the window: 0 at its left edge, 1 at its right. */
export function shareOf({ from, to }: TimeWindow, at: number): number {
  return (at - from) / (to - from)
}
