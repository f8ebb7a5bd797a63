import { setTimeout as delay } from "node:timers/promises"
import { CLOSE_GRACE_MS } from "../../protocol/limits.ts"
import { rejectedIn } from "../../protocol/otlp/responses.ts"
import type { DropCategory, DropCount, DropReason } from "../../protocol/records/drop.ts"
import { Backoff, EXPORT_BACKOFF, isRetryable, retryAfterMs } from "../../protocol/transport/backoff.ts"
import { type Delivery, DiskQueue, type Waiting } from "./disk-queue.ts"
import { otlpEncodingOf, signalOf } from "./otlp-deliveries.ts"
import type { EgressAnswer, EgressRequest, Send } from "./egress.ts"

/** What one attempt sends of a delivery. */
export interface Attempt {
  /** `undefined` when nothing is left to send. */
  readonly request: EgressRequest | undefined
  /** What the request holds, which is dropped if the destination refuses it. */
  readonly sent: readonly Pick<DropCount, "category" | "count">[]
  /** What it leaves out. It is dropped once this attempt settles the delivery: the next one may send it. */
  readonly leftOut: readonly Pick<DropCount, "reason" | "category" | "count">[]
}

/** How to send deliveries to a destination. */
export interface Protocol {
  /** Within the rate limits of this moment. */
  attempt(delivery: Pick<Waiting, "kind" | "category" | "count">, body: Uint8Array): Attempt
  /** Called with every response, to read rate limits. */
  answered(status: number, header: (name: string) => string | undefined): void
  /** Whether `attempt` applies the rate limits of a 429 by category, so that other deliveries continue. */
  readonly limitsItself: boolean
}

export interface DestinationOptions {
  readonly protocol: Protocol
  readonly send: Send
  readonly directory: string
  readonly maxBytes: number
  readonly maxAgeMs: number
  readonly now: () => number
  /** Milliseconds, by a clock that nobody sets. */
  readonly elapsed: () => number
  readonly random: () => number
  /** Resolves after the given milliseconds or when the signal aborts, whichever is first. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>
  recordDrop(reason: DropReason, category: DropCategory, count: number): void
}

/** How long a stop waits for the disk, since its start. */
const CLOSE_LIMIT_MS = 1_500

/**
 * One destination with its own queue and its own backoff. A delivery is retried until the destination accepts or refuses
 * it, or it expires. Deliveries that wait when the process stops are on disk for the next start.
 */
export class Destination {
  readonly #options: DestinationOptions
  readonly #queue: DiskQueue
  readonly #stop = new AbortController()
  /** Ends the running request. */
  readonly #cut = new AbortController()
  readonly #backoff: Backoff
  #running: Promise<void> | undefined
  #hasMore = false

  constructor(options: DestinationOptions) {
    this.#options = options
    this.#backoff = new Backoff(EXPORT_BACKOFF, options.random)
    this.#queue = new DiskQueue(options)
    this.#start()
  }

  offer(delivery: Delivery): void {
    void this.#queue.add(delivery).then(() => this.#start())
  }

  /**
   * Waits a second for the running request, somewhat longer for deliveries that are being written to disk, and not for
   * those that are queued there. The next start sends again what has no answer.
   */
  async close(): Promise<void> {
    this.#stop.abort()
    const limit = delay(CLOSE_LIMIT_MS, undefined, { ref: false })
    const cut = setTimeout(() => this.#cut.abort(), CLOSE_GRACE_MS)
    await Promise.race([this.#running, limit])
    clearTimeout(cut)
    await this.#queue.close(limit)
  }

  #start(): void {
    this.#hasMore = true
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
      if (this.#hasMore && !this.#stop.signal.aborted) this.#start()
    })
  }

  async #run(): Promise<void> {
    this.#hasMore = false
    while (!this.#stop.signal.aborted) {
      const waiting = await this.#queue.take()
      if (waiting === undefined) return
      const waitMs = await this.#attempt(waiting)
      this.#queue.release()
      if (waitMs > 0) await this.#options.sleep(waitMs, this.#stop.signal)
    }
  }

  /** @returns milliseconds to wait before the next attempt, of this delivery or another. */
  async #attempt(waiting: Waiting): Promise<number> {
    const body = await this.#queue.read(waiting)
    if (typeof body === "string") return this.#settle(waiting, [{ ...waiting, reason: body }])
    const { request, sent, leftOut } = this.#options.protocol.attempt(waiting, body)
    if (request === undefined) return this.#settle(waiting, leftOut)
    const refused = (reason: DropReason) => [...leftOut, ...sent.map((each) => ({ ...each, reason }))]
    const answer = await this.#options.send(request, this.#cut.signal)
    if (answer.outcome === "refused") return this.#settle(waiting, refused("foreign_host"))
    if (answer.outcome === "answered") {
      this.#options.protocol.answered(answer.status, answer.header)
      if (answer.status >= 200 && answer.status < 300) {
        this.#countRejected(waiting, answer.body)
        return this.#settle(waiting, leftOut)
      }
      if (!isRetryable(answer.status)) return this.#settle(waiting, refused("send_error"))
    }
    return this.#waitMs(answer)
  }

  /** What the destination rejects of a delivery that it accepts is dropped: OTLP forbids another attempt. */
  #countRejected({ kind, category, count }: Waiting, answer: Uint8Array): void {
    const encoding = otlpEncodingOf(kind)
    const rejected = encoding === undefined ? 0 : Math.min(rejectedIn(answer, signalOf(category), encoding), count)
    if (rejected > 0) this.#options.recordDrop("send_error", category, rejected)
  }

  #waitMs(answer: EgressAnswer): number {
    const waitMs = this.#backoff.failed()
    const { protocol, now, random } = this.#options
    // The protocol itself holds back what its receiver limits. Other deliveries wait as after a first failure.
    if (answer.outcome === "answered" && answer.status === 429 && protocol.limitsItself)
      return new Backoff(EXPORT_BACKOFF, random).failed()
    const retryAfter = answer.outcome === "answered" ? retryAfterMs(answer.header("retry-after"), now()) : undefined
    return Math.max(retryAfter ?? 0, waitMs)
  }

  /** @param dropped what is dropped of the delivery. */
  async #settle(waiting: Waiting, dropped: Attempt["leftOut"]): Promise<number> {
    this.#backoff.succeeded()
    await this.#queue.remove(waiting)
    for (const { reason, category, count } of dropped) this.#options.recordDrop(reason, category, count)
    return 0
  }
}
