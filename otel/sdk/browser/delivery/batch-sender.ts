import type { DropReason } from "../../../protocol/records/drop.ts"
import type { Clock } from "../clock.ts"
import { Backoff, isRetryable, PAGE_BACKOFF, retryAfterMs } from "../../../protocol/transport/backoff.ts"
import type { PageRequest } from "./stored-deliveries.ts"

/** One deadline for all attempts of a batch, in milliseconds. Past it the batch is dropped. */
export const DELIVERY_DEADLINE_MS = 30_000

/** A request body and the number of its spans. */
export interface Batch {
  readonly body: Uint8Array<ArrayBuffer>
  readonly spans: number
}

interface Attempted extends Batch {
  readonly deadline: number
  readonly backoff: Backoff
  timer: number | undefined
}

interface BatchSenderOptions {
  /** Sends within the `keepalive` budget. */
  post(url: string, request: PageRequest): Promise<Response>
  readonly clock: Clock
  random(): number
  url(): string | undefined
  dropped(reason: DropReason, spans: number): void
}

/**
 * Sends batches of OTLP/JSON, and retries what OTLP calls retryable until a deadline. When the page is left, a batch that is
 * being compressed or waits for a retry is sent at once, as it is.
 */
export class BatchSender {
  readonly #options: BatchSenderOptions
  /** Batches that are not in flight. */
  readonly #waiting = new Set<Attempted>()
  #isCleared = false

  constructor(options: BatchSenderOptions) {
    this.#options = options
  }

  /** Bytes that wait to be sent; without those in flight. */
  get waitingBytes(): number {
    let bytes = 0
    for (const { body } of this.#waiting) bytes += body.length
    return bytes
  }

  send(batch: Batch, isLeaving: boolean): void {
    const { clock, random } = this.#options
    const deadline = clock.now() + DELIVERY_DEADLINE_MS
    const attempted = { ...batch, deadline, backoff: new Backoff(PAGE_BACKOFF, random), timer: undefined }
    if (isLeaving) return void this.#post(attempted, undefined)
    this.#waiting.add(attempted)
    void this.#compressAndPost(attempted)
  }

  /** The page is left: nothing waits any longer. If the page comes back, everything continues. */
  leave(): void {
    for (const batch of this.#waiting) {
      this.#options.clock.clearTimeout(batch.timer)
      void this.#post(batch, undefined)
    }
  }

  /** Discards what waits. */
  clear(): void {
    for (const { timer } of this.#waiting) this.#options.clock.clearTimeout(timer)
    this.#waiting.clear()
    this.#isCleared = true
  }

  async #compressAndPost(batch: Attempted): Promise<void> {
    // If compression fails, the body is sent uncompressed.
    const compressed = await gzipped(batch.body).catch(() => undefined)
    if (this.#waiting.has(batch)) await this.#post(batch, compressed)
  }

  async #post(batch: Attempted, compressed: Uint8Array<ArrayBuffer> | undefined): Promise<void> {
    this.#waiting.delete(batch)
    const url = this.#options.url()
    if (url === undefined) return this.#options.dropped("network_error", batch.spans)
    const headers = { "content-type": "application/json", ...(compressed && { "content-encoding": "gzip" }) }
    try {
      const request = { method: "POST", body: compressed ?? batch.body, headers, spans: batch.spans }
      const response = await this.#options.post(url, request)
      if (response.ok) return
      if (!isRetryable(response.status)) return this.#options.dropped("send_error", batch.spans)
      this.#retry(batch, "send_error", retryAfterMs(response.headers.get("retry-after"), Date.now()))
    } catch {
      // Offline, blocked, or the page is left: `fetch` does not say which.
      this.#retry(batch, "network_error", undefined)
    }
  }

  #retry(batch: Attempted, reason: DropReason, retryAfter: number | undefined): void {
    const { clock } = this.#options
    const delay = Math.max(retryAfter ?? 0, batch.backoff.failed())
    if (this.#isCleared || clock.now() + delay > batch.deadline) return this.#options.dropped(reason, batch.spans)
    this.#waiting.add(batch)
    batch.timer = clock.setTimeout(() => void this.#compressAndPost(batch), delay)
  }
}

/** A smaller body fits into the first packets anyway. */
const WORTHWHILE_BYTES = 2 * 1024

/** Compresses a body. `undefined` where the browser cannot, or the body is too small to gain from it. */
export async function gzipped(body: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (typeof CompressionStream !== "function" || body.length < WORTHWHILE_BYTES) return undefined
  const { readable, writable } = new CompressionStream("gzip")
  // Not the stream of a `Blob`: to make one, the main thread waits for the browser's process.
  const writer = writable.getWriter()
  // What fails here fails the readable side too.
  for (const written of [writer.write(body), writer.close()]) written.catch(() => undefined)
  return new Uint8Array(await new Response(readable).arrayBuffer())
}
