import { OFFLINE_AGE_LIMIT_MS } from "../../../protocol/limits.ts"
import { PAGE_RETRY_HEADER } from "../../page-drops.ts"
import { pageClock } from "../clock.ts"
import type { CountDrop } from "./page-drops.ts"
import { Backoff, isRetryable, PATIENT_PAGE_BACKOFF, retryAfterMs } from "../../../protocol/transport/backoff.ts"
import { bodyAt, type PageRequest, StoredDeliveries, storedDelivery, type StoredDelivery } from "./stored-deliveries.ts"

interface OfflineOptions {
  /** Sends without storing what fails. */
  readonly fetch: typeof globalThis.fetch
  /** The current URL for a stored delivery: the settings may have changed since. */
  urlOf(kind: StoredDelivery["kind"]): string | undefined
  /** Whether the receiver counts what it refuses. */
  isTunnelled(): boolean
  /** Whether the visitor has left the page. Its requests then count as accepted, even offline, so the next page sends what is stored. */
  hasLeft(): boolean
  readonly dropped: CountDrop
  readonly signal: AbortSignal
}

/**
 * Only one tab at a time sends stored deliveries. Chromium evicts a page from the back/forward cache if it is granted a lock
 * there, or holds one that another page requests: a page requests it only to send, and releases it when it is left.
 */
const LOCK = "pagespan"

/**
 * Stores deliveries that found no network, across documents, and sends them later: on the browser's `online` event, with the
 * next page, and after the next delivery that succeeds. A delivery answered with 429, 502, 503 or 504 stays stored until the
 * time in `Retry-After`, or with backoff.
 */
export class OfflineDeliveries {
  readonly #options: OfflineOptions
  readonly #stored: StoredDeliveries
  #mayHaveSome = false
  /** Set while the receiver has asked to wait. */
  #timer: number | undefined
  readonly #backoff = new Backoff(PATIENT_PAGE_BACKOFF)
  /** Aborted when the page is left, or tracing ends, while it sends. */
  #turn: AbortController | undefined

  constructor(options: OfflineOptions) {
    const { signal } = options
    this.#options = options
    this.#stored = new StoredDeliveries(options.dropped, signal)
    window.addEventListener("online", () => void this.send(), { signal })
    window.addEventListener("offline", () => void this.#stored.open().catch(() => undefined), { signal })
    window.addEventListener("pagehide", ({ persisted }) => persisted && this.#pause(), { signal })
    signal.addEventListener("abort", () => {
      this.#pause()
      pageClock.clearTimeout(this.#timer)
    })
  }

  /** @returns whether it is stored. */
  async store(request: PageRequest): Promise<boolean> {
    try {
      const delivery = storedDelivery(request, Date.now())
      if (delivery === undefined) return false
      this.#mayHaveSome = true
      await this.#stored.add(delivery)
      return true
    } catch {
      // No storage, or none left: the sender counts the drop.
      return false
    }
  }

  /** A delivery succeeded: there is a network. */
  succeeded(): void {
    if (this.#mayHaveSome) void this.send()
  }

  async send(): Promise<void> {
    if (this.#timer !== undefined || this.#options.hasLeft()) return
    this.#mayHaveSome = false
    try {
      if ((await this.#stored.count()) > 0) await this.#sendInTurn()
      this.#stored.close()
    } catch {
      // No network yet, or no storage: the next occasion tries again.
      this.#mayHaveSome = true
    }
  }

  /** Ends what the page is sending. The delivery on its way stays stored, and may be sent twice: receivers deduplicate by ids. */
  #pause(): void {
    this.#turn?.abort()
    this.#stored.close()
  }

  async #sendInTurn(): Promise<void> {
    const send = () => {
      const { signal } = (this.#turn = new AbortController())
      const paused = new Promise<never>((_, reject) => (signal.onabort = reject))
      return Promise.race([this.#sendAll(signal), paused])
    }
    // Without locks two tabs may send the same delivery.
    if (navigator.locks === undefined) await send()
    else await navigator.locks.request(LOCK, { ifAvailable: true }, (lock) => lock && send())
  }

  async #sendAll(turn: AbortSignal): Promise<void> {
    for (let first = await this.#stored.first(); first !== undefined; first = await this.#stored.first()) {
      const [key, delivery] = first
      const url = this.#options.urlOf(delivery.kind)
      // The receiver may have asked to wait since this send began.
      if (turn.aborted || this.#timer !== undefined || this.#options.hasLeft()) return
      if (url === undefined) throw new Error("the destination is not known yet")
      // Only the tunnel receives our header: for another origin it would need a preflight.
      const headers = { ...delivery.headers, ...(this.#options.isTunnelled() && { [PAGE_RETRY_HEADER]: "1" }) }
      const response = await this.#options.fetch(url, { method: "POST", body: bodyAt(delivery, Date.now()), headers })
      if (isRetryable(response.status)) {
        this.#sendLater(response.headers.get("retry-after"))
        break
      }
      this.#backoff.succeeded()
      await this.#stored.remove(key)
      if (!response.ok) this.#refused(delivery, response.status)
    }
  }

  #sendLater(retryAfter: string | null): void {
    const asked = retryAfterMs(retryAfter, Date.now()) ?? 0
    const wait = Math.min(Math.max(asked, this.#backoff.failed()), OFFLINE_AGE_LIMIT_MS)
    this.#timer = pageClock.setTimeout(() => {
      this.#timer = undefined
      void this.send()
    }, wait)
  }

  /** The tunnel counts the envelopes that it or Sentry refuses, except one that is too large: its sender counts that. */
  #refused({ kind, category, count }: StoredDelivery, status: number): void {
    if (kind === "envelope" && status !== 413 && this.#options.isTunnelled()) return
    this.#options.dropped("send_error", category, count)
  }
}
