import type { LossRecord } from "../../model/loss.ts"
import type { SpanRecord } from "../../model/span.ts"
import type { Nanoseconds } from "../../model/time.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { SpanBlock } from "../rows/span-block.ts"
import { FairShare } from "./fair-share.ts"
import { insertLosses } from "./insert-losses.ts"
import { INSERT_BYTES, insertBlock } from "./insert.ts"

/** Some tenth of a millisecond of work. */
const SPANS_AT_ONCE = 32

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
  let position = 0
  for await (const { trace, detail } of blocksOf(kept)) {
    const id = `${batchId}/${position++}`
    await insertBlock(clickhouse, { table: "otel_traces", batchId: id, block: trace })
    await insertBlock(clickhouse, { table: "pagespan_spans", batchId: id, block: detail })
  }
  if (kept.length < spans.length)
    await insertLosses(clickhouse, [expired(period.now, spans.length - kept.length)], `${batchId}/expired`)
}

/** In blocks that depend on the spans alone: a repeated batch falls into the same ones. */
async function* blocksOf(spans: readonly SpanRecord[]): AsyncGenerator<SpanBlock> {
  const share = new FairShare()
  let block = new SpanBlock()
  for (const [index, span] of spans.entries()) {
    // A batch under load takes a twentieth of a second: requests are answered in between.
    if (index % SPANS_AT_ONCE === 0 && share.isOver) await share.letOthers()
    block.add(span)
    if (block.size < INSERT_BYTES) continue
    yield block
    block = new SpanBlock()
  }
  if (block.spans > 0) yield block
}

function expired(time: Nanoseconds, count: number): LossRecord {
  return { time, stage: "store", reason: "expired", category: "span", count, sample: "spans older than the retention" }
}
