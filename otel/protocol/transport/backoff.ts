/** Retries: which HTTP statuses are worth another attempt, how long to wait for it, and what `Retry-After` asks for. */

/** Waits of one kind of receiver. */
export interface BackoffPolicy {
  /** Wait after the first failure, in milliseconds. */
  readonly initialMs: number
  /** Factor from one wait to the next. */
  readonly multiplier: number
  /** Longest wait, in milliseconds, before jitter. */
  readonly maxMs: number
  /** Shares of the full wait that `random` of 0 and of 1 stand for. Jitter keeps clients that failed together apart. */
  readonly jitter: readonly [at0: number, at1: number]
}

/** For a store on this machine or near it: it recovers within seconds, or stays down for long. */
export const STORE_BACKOFF: BackoffPolicy = { initialMs: 250, multiplier: 2, maxMs: 10_000, jitter: [0.5, 1] }

/** For collectors and Sentry. Initial interval, multiplier and maximum interval are those of the Collector's exporters. */
export const EXPORT_BACKOFF: BackoffPolicy = {
  initialMs: 5_000,
  multiplier: 1.5,
  maxMs: 30_000,
  jitter: [0.75, 1.25],
}

/** For a batch of a page. Initial interval, multiplier, maximum and jitter are those of OpenTelemetry's OTLP exporters. */
export const PAGE_BACKOFF: BackoffPolicy = { initialMs: 1_000, multiplier: 1.5, maxMs: 5_000, jitter: [0.8, 1.2] }

/** For uploads to Sentry, which survive a restart of a load balancer, as with Sentry's own tool. */
export const UPLOAD_BACKOFF: BackoffPolicy = { initialMs: 500, multiplier: 2, maxMs: 2_000, jitter: [0.75, 1.25] }

/** For the live feed of a screen: somebody looks at it. An inspector restarts within seconds, or stays down for long. */
export const LIVE_BACKOFF: BackoffPolicy = { initialMs: 1_000, multiplier: 2, maxMs: 30_000, jitter: [0.5, 1] }

/** For what a page sends as long as it lives, such as the request for its settings. */
export const PATIENT_PAGE_BACKOFF: BackoffPolicy = { ...PAGE_BACKOFF, maxMs: 5 * 60_000 }

/**
 * Counts failures in a row, and returns how long to wait after each.
 *
 * @example
 * const backoff = new Backoff(STORE_BACKOFF)
 * backoff.failed() // 125 to 250
 * backoff.failed() // 250 to 500
 * backoff.succeeded()
 */
export class Backoff {
  readonly #policy: BackoffPolicy
  readonly #random: () => number
  #failures = 0

  /** @param random gives a number from 0 up to 1. Default: `Math.random`. */
  constructor(policy: BackoffPolicy, random: () => number = Math.random) {
    this.#policy = policy
    this.#random = random
  }

  /** Counts a failure. @returns milliseconds to wait before the next attempt. */
  failed(): number {
    const { initialMs, multiplier, maxMs, jitter } = this.#policy
    const [at0, at1] = jitter
    const full = Math.min(maxMs, initialMs * multiplier ** this.#failures++)
    return full * (at0 + (at1 - at0) * this.#random())
  }

  /** The next failure counts as the first again. */
  succeeded(): void {
    this.#failures = 0
  }
}

/** Both OTLP and Sentry define these as retryable. */
export function isRetryable(status: number): boolean {
  return [429, 502, 503, 504].includes(status)
}

/** A longer `Retry-After` is cut to one hour, so that no receiver can stop an exporter for good. */
const MAX_RETRY_AFTER_MS = 60 * 60 * 1_000

/**
 * Milliseconds that a `Retry-After` header asks for, given in seconds or as an HTTP date. `undefined` for a date in the
 * past and for text that is neither.
 *
 * @param now milliseconds since the epoch.
 */
export function retryAfterMs(value: string | null | undefined, now: number): number | undefined {
  const text = value?.trim() ?? ""
  const milliseconds = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now
  return milliseconds >= 0 && milliseconds < Infinity ? Math.min(milliseconds, MAX_RETRY_AFTER_MS) : undefined
}
