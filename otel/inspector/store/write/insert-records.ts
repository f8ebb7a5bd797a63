import { decodeBatch, type EncodedBatch } from "../../../protocol/codec/encode-batch.ts"
import type { RecordBatch } from "../../../protocol/records/batch.ts"
import type { DropCategory } from "../../../protocol/records/drop.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { RecordsRefused, whyAway } from "../failure.ts"
import type { Retention } from "./expired.ts"
import { insertErrors, insertLogs } from "./insert-events.ts"
import { insertItems } from "./insert-items.ts"
import { insertSpans, SpanRows } from "./insert-spans.ts"

/** What is to be stored, and under which name. */
export interface RecordsOrder {
  readonly batches: readonly EncodedBatch[]
  readonly batchId: string
  /** Categories that are left out. */
  readonly without: ReadonlySet<DropCategory>
  readonly retention: Retention
}

/**
 * Resolves when all records are in the store. Spans come first: an error, log or item that can be found leads to its trace.
 *
 * @throws {RecordsRefused} naming the category, where ClickHouse is there and does not take it.
 */
export async function insertRecords(clickhouse: ClickHouse, order: RecordsOrder): Promise<void> {
  const { batchId, without, retention } = order
  const { spans, errors, logs, items } = decode(order)
  const kinds = [
    ["span", spans.count, () => insertSpans(clickhouse, spans, batchId, retention)],
    ["error", errors.length, () => insertErrors(clickhouse, errors, batchId, retention)],
    ["log_item", logs.length, () => insertLogs(clickhouse, logs, batchId, retention)],
    ["default", items.length, () => insertItems(clickhouse, items, batchId, retention)],
  ] as const
  for (const [category, count, insert] of kinds)
    if (count > 0 && !without.has(category))
      await insert().catch((cause: unknown) => {
        throw whyAway(cause) === undefined ? new RecordsRefused(category, count, { cause }) : cause
      })
}

type Others = Omit<RecordBatch, "spans">

function decode({ batches, retention }: RecordsOrder): Others & { readonly spans: SpanRows } {
  const spans = new SpanRows(retention)
  const others = { errors: [], logs: [], items: [] } as { readonly [Kind in keyof Others]: Others[Kind][number][] }
  for (const bytes of batches) {
    const batch = decodeBatch(bytes)
    for (const span of batch.spans) spans.add(span)
    for (const error of batch.errors) others.errors.push(error)
    for (const log of batch.logs) others.logs.push(log)
    for (const item of batch.items) others.items.push(item)
  }
  return { spans, ...others }
}
