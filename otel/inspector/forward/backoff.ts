/** What OTLP and Sentry alike call worth another attempt, beside a network that failed. */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504])

/** The Collector's retry: first wait, growth, longest wait. */
const FIRST_MS = 5_000
const GROWTH = 1.5
const LONGEST_MS = 30_000
/** Share of a wait that is left to chance, to either side, so that clients that failed together do not return together. */
const JITTER = 0.25
/** A `Retry-After` longer than this is taken for this: a destination must not be able to silence us for ever. */
const LONGEST_ASKED_MS = 60 * 60 * 1_000

export function isRetryable(status: number): boolean {
  return RETRYABLE.has(status)
}

/** @param failures in a row, at least 1. */
export function backoffMs(failures: number, random: () => number): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * GROWTH ** (failures - 1))
  return full * (1 - JITTER + 2 * JITTER * random())
}

/** Milliseconds that `Retry-After` asks for, as seconds or as a date; `undefined` for a past date and for what is neither. */
export function retryAfterMs(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined
  const text = value.trim()
  const asked = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now
  return Number.isFinite(asked) && asked >= 0 ? Math.min(asked, LONGEST_ASKED_MS) : undefined
}
