import type { RecordBatch } from "../../model/record-batch.ts"
import { type Nanoseconds, nanoseconds } from "../../model/time.ts"
import { readTime } from "./read-time.ts"

/** Less than this is left alone: Relay's `MINIMUM_CLOCK_DRIFT`, which catches wrong time zones and more. */
const LEAST_DRIFT = 55n * 60n * 1_000_000_000n

const NONE = nanoseconds(0n)

/**
 * How far the sender's clock is behind ours, by what it says that it was when it sent; 0 where it does not say or the clocks
 * agree. A sender that keeps envelopes for later writes `sent_at` when it sends them.
 *
 * @see https://develop.sentry.dev/sdk/data-model/envelopes/#authenticated-envelopes
 */
export function clockDrift(sentAt: unknown, receivedAt: Nanoseconds): Nanoseconds {
  const sent = readTime(sentAt)
  if (sent === undefined) return NONE
  const drift = receivedAt - sent
  return nanoseconds(drift < LEAST_DRIFT && drift > -LEAST_DRIFT ? 0n : drift)
}

/** The records with their times on our clock. Ids that were made from times stay: the same envelope sent again has them. */
export function correctTimes(batch: RecordBatch, drift: Nanoseconds): RecordBatch {
  if (drift === 0n) return batch
  const shift = (time: Nanoseconds): Nanoseconds => {
    const shifted = time + drift
    return shifted > 0n ? nanoseconds(shifted) : time
  }
  return {
    spans: batch.spans.map((span) => ({ ...span, startTime: shift(span.startTime), endTime: shift(span.endTime) })),
    errors: batch.errors.map((error) => ({ ...error, time: shift(error.time) })),
    logs: batch.logs.map((log) => ({ ...log, time: shift(log.time) })),
    items: batch.items.map((item) => ({ ...item, time: shift(item.time) })),
  }
}
