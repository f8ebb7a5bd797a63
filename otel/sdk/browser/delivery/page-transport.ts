import {
  type DataCategory,
  type Envelope,
  isRateLimited,
  normalize,
  type RateLimits,
  updateRateLimits,
} from "@sentry/core"
import { QUEUED_ENVELOPE_LIMIT } from "../../../protocol/limits.ts"
import { quantityOfItem } from "../../../protocol/records/drop.ts"
import type { ClientDrop } from "../../sentry/client-reports.ts"

export interface PageTransportOptions {
  /** Where envelopes are posted to. */
  readonly url: string
  /** Sends within the `keepalive` budget. */
  readonly fetch: typeof globalThis.fetch
  /** Whether envelopes go through the tunnel, which counts what it refuses. */
  isTunnelled(): boolean
  /** Counts what was not sent, or was too large: the client's reports contain it. */
  readonly lost: ClientDrop
  /** Counts what Sentry refused, which it knows. */
  readonly refused: ClientDrop
}

/**
 * Posts the envelopes of a page by the rules of Sentry's transports: a bounded number at a time, and none of a category that Sentry
 * has limited. `createTransport` of Sentry's SDK is for envelopes of mixed and binary items, which no page sends, takes 1.2 kB more,
 * counts a container of spans as one span, and what Sentry refuses as sent.
 *
 * @see https://develop.sentry.dev/sdk/foundations/transport/
 */
export class PageTransport {
  readonly #options: PageTransportOptions
  #limits: RateLimits = {}
  #sending = 0

  constructor(options: PageTransportOptions) {
    this.#options = options
  }

  /** @param envelope whose items are of one type. Resolves once it is sent, or counted. */
  async send([header, items]: Envelope): Promise<void> {
    const { url, fetch, isTunnelled, lost, refused } = this.#options
    const type = items[0]?.[0].type
    const category = (type === "event" ? "error" : type) as DataCategory
    const count = (counts: ClientDrop, reason: Parameters<ClientDrop>[0]): void => {
      // Drops of drop reports are not reported.
      if (type === "client_report") return
      let records = 0
      for (const [{ item_count }] of items as Iterable<[{ item_count?: unknown }, unknown]>)
        records += quantityOfItem(item_count)
      counts(reason, category, records)
    }
    if (isRateLimited(this.#limits, category)) return count(lost, "ratelimit_backoff")
    if (this.#sending >= QUEUED_ENVELOPE_LIMIT) return count(lost, "queue_overflow")
    this.#sending++
    try {
      const body = [header, ...items.flat()].map(jsonOf).join("\n")
      // Called before anything is awaited: the page may be left.
      const { ok, status, headers } = await fetch(url, { method: "POST", body, referrerPolicy: "strict-origin" })
      this.#limits = updateRateLimits(this.#limits, {
        statusCode: status,
        headers: {
          "x-sentry-rate-limits": headers.get("x-sentry-rate-limits"),
          "retry-after": headers.get("retry-after"),
        },
      })
      if (status === 413) count(lost, "send_error")
      else if (!ok && !isTunnelled()) count(refused, status === 429 ? "ratelimit_backoff" : "send_error")
    } catch {
      count(lost, "network_error")
    } finally {
      this.#sending--
    }
  }
}

/** An app may add what JSON has no form for. */
function jsonOf(part: unknown): string {
  try {
    return JSON.stringify(part)
  } catch {
    return JSON.stringify(normalize(part))
  }
}
