/** First wait, growth and longest wait after failures of the store; it comes back within seconds or stays away long. */
const FIRST_MS = 250
const GROWTH = 2
const LONGEST_MS = 10_000

/** How long to wait after the given number of failures in a row: exponential, with half of it left to chance. */
export function backoffMs(failures: number, random: () => number): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * GROWTH ** Math.max(failures - 1, 0))
  return full / 2 + (full / 2) * random()
}
