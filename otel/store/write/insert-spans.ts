import { setImmediate } from "node:timers/promises"
import type { LossRecord } from "../../model/loss.ts"
import type { SpanRecord } from "../../model/span.ts"
import type { Nanoseconds } from "../../model/time.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { DETAIL_COLUMNS, SpanRowWriter, TRACE_COLUMNS } from "../rows/span-row.ts"
import { insertLosses } from "./insert-losses.ts"
import { insertLines } from "./insert.ts"
import { LineChunks } from "./line-chunks.ts"

/** Some 2 ms of work. */
const SPANS_AT_ONCE = 250

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
  const { trace, detail } = await rowsOf(kept)
  await insertLines(clickhouse, { table: "otel_traces", columns: TRACE_COLUMNS, batchId, chunks: trace })
  await insertLines(clickhouse, { table: "pagespan_spans", columns: DETAIL_COLUMNS, batchId, chunks: detail })
  if (kept.length < spans.length)
    await insertLosses(clickhouse, [expired(period.now, spans.length - kept.length)], `${batchId}/expired`)
}

async function rowsOf(spans: readonly SpanRecord[]): Promise<Record<"trace" | "detail", readonly Buffer[]>> {
  const writer = new SpanRowWriter()
  const lines = { trace: new LineChunks(), detail: new LineChunks() }
  for (const [index, span] of spans.entries()) {
    // A batch under load takes a tenth of a second: requests are answered in between.
    if (index % SPANS_AT_ONCE === SPANS_AT_ONCE - 1) await setImmediate()
    const { trace, detail } = writer.rows(span)
    lines.trace.add(trace)
    lines.detail.add(detail)
  }
  return { trace: lines.trace.end(), detail: lines.detail.end() }
}

function expired(time: Nanoseconds, count: number): LossRecord {
  return { time, stage: "store", reason: "expired", category: "span", count, sample: "spans older than the retention" }
}
