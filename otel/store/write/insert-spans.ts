import type { LossRecord } from "../../model/loss.ts"
import type { SpanRecord } from "../../model/span.ts"
import type { Nanoseconds } from "../../model/time.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { toSpanRows } from "../rows/span-row.ts"
import { insertLosses } from "./insert-losses.ts"
import { insertRows } from "./insert.ts"

export interface Period {
  /** What began before this would be gone at once. */
  readonly oldest: Nanoseconds
  readonly now: Nanoseconds
}

/**
 * Stores spans in the collector's table and then in ours, which is what they are listed from: a span that can be
 * listed can be read. Cut off in between, the batch is unacknowledged, comes again and is completed. Spans past the
 * retention are counted as expired instead.
 */
export async function insertSpans(
  clickhouse: ClickHouse,
  spans: readonly SpanRecord[],
  batchId: string,
  period: Period,
): Promise<void> {
  const kept = spans.filter(({ startTime }) => startTime >= period.oldest)
  const rows = kept.map(toSpanRows)
  await insertRows(clickhouse, { table: "otel_traces", batchId, rows: rows.map(({ trace }) => trace) })
  await insertRows(clickhouse, { table: "pagespan_spans", batchId, rows: rows.map(({ detail }) => detail) })
  if (kept.length < spans.length)
    await insertLosses(clickhouse, [expired(period.now, spans.length - kept.length)], `${batchId}/expired`)
}

function expired(time: Nanoseconds, count: number): LossRecord {
  return { time, stage: "store", reason: "expired", category: "span", count, sample: "spans older than the retention" }
}
