import { createHash } from "node:crypto"
import { join } from "node:path"
import { tracesToJson } from "../../protocol/otlp/traces-json.ts"
import { categoryOfItem, type DropCategory, type DropReason } from "../../protocol/records/drop.ts"
import type { SpanRecord } from "../../protocol/records/span.ts"
import type { Secret } from "../../protocol/secret.ts"
import { quantityOf, splitEnvelope } from "../../protocol/sentry/split-envelope.ts"
import { Destination, type Protocol } from "./destination.ts"
import type { Delivery } from "./disk-queue.ts"
import { steadyClock } from "../clocks.ts"
import type { Acknowledged, LogsRequest } from "../ingest/acknowledged.ts"
import { addressGuard, createEgress, type Send } from "./egress.ts"
import { OTLP_KINDS } from "./otlp-deliveries.ts"
import { otlpProtocol, sentryProtocol } from "./protocols.ts"

export interface Forwarder {
  /** Returns at once and never throws. What cannot be forwarded is counted as dropped. */
  offer(batch: Acknowledged): void
  /**
   * Waits a second for running requests, and for what is being written to disk. The next start continues with what is not
   * delivered. What the disk has not taken in time is counted as dropped.
   */
  close(): Promise<void>
}

export interface ForwarderOptions {
  /** Endpoints of collectors, `PAGESPAN_FORWARD_OTLP`. */
  readonly otlp: readonly string[]
  /** DSN of a project, `PAGESPAN_FORWARD_SENTRY`. */
  readonly sentry: Secret | undefined
  /** Private addresses and networks that are allowed, `PAGESPAN_FORWARD_ALLOWED_ADDRESSES`. */
  readonly allowedAddresses: readonly string[]
  /** Parent of the queues' directories, one for each destination. */
  readonly directory: string
  recordDrop(reason: DropReason, category: DropCategory, count: number): void
  /** Bytes that may wait for one destination. Default 256 MiB. */
  readonly maxBytes?: number
  /** Age in milliseconds after which a delivery is dropped. Default 24 h, as in Relay. */
  readonly maxAgeMs?: number
  /** Milliseconds since the epoch. Default `Date.now`. */
  readonly now?: () => number
  /** Milliseconds of elapsed time, by a clock that nobody sets. Default `performance.now`. */
  readonly elapsed?: () => number
  readonly random?: () => number
  readonly send?: Send
  sleep?(milliseconds: number, signal: AbortSignal): Promise<void>
}

const MAX_BYTES = 256 * 1024 * 1024
const MAX_AGE_MS = 24 * 60 * 60 * 1_000

/**
 * Forwards ingested records to collectors and to Sentry. Each destination has its own queue and backoff, so that a
 * destination that is down delays no other. Spans of an envelope reach Sentry in that envelope only.
 */
export function createForwarder(options: ForwarderOptions): Forwarder {
  // A rate limit lasts for a duration. With the clock set back, it would last longer.
  const now = steadyClock(options.now ?? Date.now)
  const collectors = options.otlp.map((url) => createDestination(options, url, otlpProtocol(url)))
  const dsn = options.sentry?.reveal()
  const sentry = dsn === undefined ? undefined : createDestination(options, dsn, sentryProtocol({ dsn, now }))
  const all = [...collectors, ...(sentry === undefined ? [] : [sentry])]
  return {
    offer(batch) {
      if ("envelope" in batch) return sentry?.offer(envelopeDelivery(batch.envelope))
      if ("logsRequest" in batch) return all.forEach((destination) => destination.offer(logsDelivery(batch)))
      const { spans } = batch
      offerSpans(collectors, spans)
      if (sentry !== undefined)
        offerSpans(
          [sentry],
          spans.filter(({ source }) => source === "otlp"),
        )
    },
    async close() {
      await Promise.all(all.map((each) => each.close()))
    },
  }
}

function createDestination(options: ForwarderOptions, address: string, protocol: Protocol): Destination {
  return new Destination({
    protocol,
    send: options.send ?? createEgress({ mayReach: addressGuard(options.allowedAddresses) }),
    // A digest names the queue, because the URL may hold a key.
    directory: join(options.directory, createHash("sha256").update(address).digest("hex").slice(0, 16)),
    maxBytes: options.maxBytes ?? MAX_BYTES,
    maxAgeMs: options.maxAgeMs ?? MAX_AGE_MS,
    now: options.now ?? Date.now,
    elapsed: options.elapsed ?? (() => performance.now()),
    random: options.random ?? Math.random,
    sleep: options.sleep ?? sleep,
    recordDrop: options.recordDrop,
  })
}

function offerSpans(destinations: readonly Destination[], spans: readonly SpanRecord[]): void {
  if (destinations.length === 0 || spans.length === 0) return
  const body = Buffer.from(JSON.stringify(tracesToJson(spans)))
  for (const destination of destinations)
    destination.offer({ body, count: spans.length, category: "span", kind: OTLP_KINDS.json })
}

function logsDelivery({ logsRequest, encoding, logCount }: LogsRequest): Delivery {
  return { body: logsRequest, count: logCount, category: "log_item", kind: OTLP_KINDS[encoding] }
}

/** Counted by its first item: SDKs send one event per envelope, with its attachments. */
function envelopeDelivery(body: Uint8Array): Delivery {
  const envelope = splitEnvelope(body)
  const first = envelope.ok ? envelope.items[0] : undefined
  const category = first === undefined ? "default" : categoryOfItem(first.type)
  return { body, count: first === undefined ? 1 : quantityOf(first), category, kind: "envelope" }
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer)
      signal.removeEventListener("abort", wake)
      resolve()
    }
    const timer = setTimeout(wake, milliseconds)
    timer.unref()
    signal.addEventListener("abort", wake)
    if (signal.aborted) wake()
  })
}
