/** Initial and maximum backoff, multiplier and jitter of OpenTelemetry's OTLP exporters. */
const FIRST_MS = 1_000
const GROWTH = 1.5
const LONGEST_MS = 5_000
const JITTER = 0.2
/** Maximum backoff of what retries as long as the page lives. */
export const MINUTES_BACKOFF_MS = 5 * 60_000
/** One deadline for all attempts of a batch. Past it the batch is dropped. */
export const DELIVERY_DEADLINE_MS = 30_000

/** @see https://opentelemetry.io/docs/specs/otlp/#failures-1 */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504])

export function isRetryable(status: number): boolean {
  return RETRYABLE.has(status)
}

/**
 * @param attempt 1 after the first failure.
 * @param longestMs default 5 s.
 */
export function backoffMs(attempt: number, random: () => number, longestMs = LONGEST_MS): number {
  const full = Math.min(FIRST_MS * GROWTH ** (attempt - 1), longestMs)
  return Math.round(full * (1 - JITTER + 2 * JITTER * random()))
}

/** `Retry-After`, seconds or a date, in milliseconds from now; `undefined` where it is neither. */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  if (/^\d+$/.test(header)) return Number(header) * 1_000
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
