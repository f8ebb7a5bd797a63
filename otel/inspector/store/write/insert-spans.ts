import type { SpanRecord } from "../../../protocol/records/span.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { SpanBlock } from "../rows/span-block.ts"
import { countExpired, type Retention } from "./expired.ts"
import { INSERT_BYTES, insertBlock } from "./insert.ts"

/**
 * Spans of one batch as they go to the store: a span that has been added is columns, and takes no other memory. They lie
 * in blocks that depend on the spans alone: a repeated batch falls into the same ones.
 */
export class SpanRows {
  readonly blocks: SpanBlock[] = []
  #count = 0
  #expired = 0

  constructor(private readonly retention: Retention) {}

  get count(): number {
    return this.#count
  }

  /** Those past the retention, which are only counted. */
  get expired(): number {
    return this.#expired
  }

  add(span: SpanRecord): void {
    this.#count += 1
    if (span.startTime < this.retention.oldest) this.#expired += 1
    else this.#block().add(span)
  }

  #block(): SpanBlock {
    const last = this.blocks.at(-1)
    if (last !== undefined && last.size < INSERT_BYTES) return last
    const next = new SpanBlock()
    this.blocks.push(next)
    return next
  }
}

/**
 * Stores spans in the collector's table and then in ours, which is what they are listed from: a span that can be
 * listed can be read. Cut off in between, the batch is unacknowledged, comes again and is completed.
 */
export async function insertSpans(
  clickhouse: ClickHouse,
  { blocks, expired }: SpanRows,
  batchId: string,
  retention: Retention,
): Promise<void> {
  for (const [position, { trace, detail }] of blocks.entries()) {
    const id = `${batchId}/${position}`
    await insertBlock(clickhouse, { table: "otel_traces", batchId: id, block: trace })
    await insertBlock(clickhouse, { table: "pagespan_spans", batchId: id, block: detail })
  }
  await countExpired(clickhouse, "span", expired, batchId, retention)
}
