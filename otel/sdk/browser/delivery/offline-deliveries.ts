import { OFFLINE_AGE_LIMIT_MS } from "../../../protocol/limits.ts"
import { PAGE_RETRY_HEADER } from "../../page-drops.ts"
import { pageClock } from "../clock.ts"
import type { CountDrop } from "./page-drops.ts"
import { backoffMs, isRetryable, MINUTES_BACKOFF_MS, retryAfterMs } from "./retry-policy.ts"
import { bodyAt, type PageRequest, StoredDeliveries, storedDelivery, type StoredDelivery } from "./stored-deliveries.ts"

interface OfflineOptions {
  /** Sends without keeping what fails. */
  readonly fetch: typeof globalThis.fetch
  /** Where a kept delivery goes now: the settings may be others than when it was kept. */
  urlOf(kind: StoredDelivery["kind"]): string | undefined
  /** Whether what is sent is counted where it is refused. */
  isTunnelled(): boolean
  readonly lost: CountDrop
  readonly signal: AbortSignal
}

/** Only one tab at a time sends what was kept. */
const LOCK = "pagespan"

/**
 * Keeps what found no network, across documents, and sends it when there is one again: with the browser's word, with the
 * next page, and with the next delivery that succeeds. What is answered with 429, 502, 503 or 504 stays kept until the time
 * that the answer names, or for growing waits.
 */
export class OfflineDeliveries {
  readonly #options: OfflineOptions
  readonly #kept: StoredDeliveries
  #hasSome = false
  /** Set while the other side has asked to wait. */
  #timer: number | undefined
  #refusals = 0

  constructor(options: OfflineOptions) {
    const { signal } = options
    this.#options = options
    this.#kept = new StoredDeliveries((reason, { category, count }) => options.lost(reason, category, count))
    window.addEventListener("online", () => void this.send(), { signal })
    window.addEventListener("offline", () => void this.#kept.open().catch(() => undefined), { signal })
    window.addEventListener("pagehide", ({ persisted }) => persisted && this.#kept.close(), { signal })
    signal.addEventListener("abort", () => {
      this.#kept.stop()
      pageClock.clearTimeout(this.#timer ?? 0)
    })
  }

  /** @returns whether it is kept now, or has been counted as lost. */
  async keep(request: PageRequest): Promise<boolean> {
    if (this.#options.signal.aborted) return false
    try {
      const delivery = storedDelivery(request, Date.now())
      if (delivery === undefined) return false
      this.#hasSome = true
      await this.#kept.add(delivery)
      return true
    } catch {
      // No storage here, or none left: whoever sent it counts it.
      return false
    }
  }

  /** The network is there. */
  succeeded(): void {
    if (this.#hasSome) void this.send()
  }

  async send(): Promise<void> {
    if (this.#timer !== undefined) return
    this.#hasSome = false
    try {
      // Without the lock two tabs may send the same, which whoever receives it knows by its ids.
      if (navigator.locks === undefined) await this.#sendAll()
      else await navigator.locks.request(LOCK, { ifAvailable: true }, (lock) => lock && this.#sendAll())
    } catch {
      // No network yet, or no storage: what is kept waits for the next time.
      this.#hasSome = true
    }
  }

  async #sendAll(): Promise<void> {
    for (let first = await this.#kept.first(); first !== undefined; first = await this.#kept.first()) {
      const [key, delivery] = first
      const url = this.#options.urlOf(delivery.kind)
      if (this.#options.signal.aborted) return
      if (url === undefined) throw new Error("nobody knows yet where to")
      // No other address gets a header of ours: it would ask for a preflight.
      const headers = this.#options.isTunnelled() ? { ...delivery.headers, [PAGE_RETRY_HEADER]: "1" } : delivery.headers
      const response = await this.#options.fetch(url, { method: "POST", body: bodyAt(delivery, Date.now()), headers })
      if (isRetryable(response.status)) {
        this.#sendLater(response.headers.get("retry-after"))
        break
      }
      this.#refusals = 0
      await this.#kept.remove(key)
      if (!response.ok) this.#refused(delivery, response.status)
    }
    this.#kept.close()
  }

  #sendLater(retryAfter: string | null): void {
    const backoff = backoffMs(++this.#refusals, Math.random, MINUTES_BACKOFF_MS)
    const wait = Math.min(Math.max(retryAfterMs(retryAfter, Date.now()) ?? 0, backoff), OFFLINE_AGE_LIMIT_MS)
    this.#timer = pageClock.setTimeout(() => {
      this.#timer = undefined
      void this.send()
    }, wait)
  }

  /** The tunnel counts the envelopes that it or Sentry refuses, but one that is too large is left to its sender. */
  #refused({ kind, category, count }: StoredDelivery, status: number): void {
    if (kind === "envelope" && status !== 413 && this.#options.isTunnelled()) return
    this.#options.lost("send_error", category, count)
  }
}
