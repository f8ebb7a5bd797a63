import { decodeBatch, type EncodedBatch, requestOf } from "../../../protocol/codec/encode-batch.ts"
import type { RecordBatch } from "../../../protocol/records/batch.ts"
import { categoryOfItem, type DropCategory, type DropRecord } from "../../../protocol/records/drop.ts"
import { isEventItem, type ItemRecord } from "../../../protocol/records/envelope-item.ts"
import type { ErrorEvent } from "../../../protocol/records/error.ts"
import type { LogRecord } from "../../../protocol/records/log.ts"
import type { SpanRecord } from "../../../protocol/records/span.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { RecordsRefused, whyUnavailable } from "../failure.ts"
import { toDropRow } from "../rows/drop-row.ts"
import { toErrorRow } from "../rows/error-row.ts"
import { toItemRow } from "../rows/item-row.ts"
import { toLogRow } from "../rows/log-row.ts"
import { RequestSpans } from "../rows/request-spans.ts"
import { SpanBlock } from "../rows/span-block.ts"
import { insertInHalves, mayHalve } from "./halves.ts"
import { insertBlock, insertRows } from "./insert.ts"
import { type Retention, SpanBlocks, SpareBlock } from "./span-blocks.ts"

/** An insert of whole batches. */
export interface InsertOrder {
  readonly batches: readonly EncodedBatch[]
  readonly batchId: string
  /** Categories to leave out. */
  readonly without: ReadonlySet<DropCategory>
  /** How often the engine was out of memory for this order. */
  readonly outOfMemory: number
  readonly retention: Retention
}

/**
 * Resolves when all records are in the store. Spans come first: a query that finds an error, log or item then finds its
 * trace.
 *
 * @param spare keeps the columns of spans, whose buffers the next call reuses.
 * @throws {RecordsRefused} with the category, when ClickHouse is up and rejects the records.
 */
export async function insertRecords(
  clickhouse: ClickHouse,
  order: InsertOrder,
  spare: SpareBlock = new SpareBlock(),
): Promise<void> {
  const { errors, logs, items } = await insertSpans(clickhouse, order, spare)
  const kinds = [
    ["error", errors.length, () => insertErrors(clickhouse, errors, order)],
    ["log_item", logs.length, () => insertLogs(clickhouse, logs, order)],
    ["default", items.length, () => insertItems(clickhouse, items, order)],
  ] as const
  for (const [category, count, insert] of kinds)
    if (count > 0 && !order.without.has(category)) await refusable(category, () => count, insert)
}

/** Names the records that ClickHouse rejects. */
async function refusable(category: DropCategory, count: () => number, insert: () => Promise<void>): Promise<void> {
  await insert().catch((cause: unknown) => {
    throw whyUnavailable(cause) === undefined ? new RecordsRefused(category, count(), { cause }) : cause
  })
}

export async function insertDrops(
  clickhouse: ClickHouse,
  drops: readonly DropRecord[],
  batchId: string,
): Promise<void> {
  const rows = drops.map((drop, position) => toDropRow(drop, batchId, position))
  await insertRows(clickhouse, { table: "pagespan_dropped", batchId, rows })
}

type Others = { readonly [Kind in keyof Omit<RecordBatch, "spans">]: RecordBatch[Kind][number][] }

/** Decodes the batches, and yields their spans in blocks. The other records of the batches go into `others`. */
function* decode({ batches }: InsertOrder, spans: SpanBlocks, others: Others): Generator<SpanBlock> {
  const requests = new RequestSpans(spans)
  for (const bytes of batches) {
    const request = requestOf(bytes)
    if (request !== undefined) {
      yield* requests.add(request)
      continue
    }
    const batch = decodeBatch(bytes)
    for (const span of batch.spans) {
      spans.add(span)
      const full = spans.takeFull()
      if (full !== undefined) yield full
    }
    for (const error of batch.errors) others.errors.push(error)
    for (const log of batch.logs) others.logs.push(log)
    for (const item of batch.items) others.items.push(item)
  }
  const last = spans.takeLast()
  if (last !== undefined) yield last
}

function isExpired({ startTime }: SpanRecord, { oldest }: Retention): boolean {
  return startTime < oldest
}

/**
 * Inserts each block of spans when it is full, so that at most two are in memory.
 *
 * @returns the other records.
 */
async function insertSpans(clickhouse: ClickHouse, order: InsertOrder, spare: SpareBlock): Promise<Others> {
  const others: Others = { errors: [], logs: [], items: [] }
  const spans = new SpanBlocks(order.retention, spare)
  const isLeftOut = order.without.has("span")
  const count = () => order.batches.reduce((sum, bytes) => sum + decodeBatch(bytes).spans.length, 0)
  let [position, before] = [0, 0]
  for (const block of decode(order, spans, others)) {
    const place = { part: `${order.batchId}/${position}`, before }
    if (!isLeftOut) await refusable("span", count, () => insertPart(clickhouse, block, place, order))
    position += 1
    before += block.spans
    // Only now: a failed insert may still be sending the bytes of a block.
    spare.keep(block)
  }
  if (!isLeftOut) await refusable("span", count, () => countExpired(clickhouse, "span", spans.expired, order))
  return others
}

/** @param place the id of the insert, and the number of spans before the block. */
async function insertPart(
  clickhouse: ClickHouse,
  block: SpanBlock,
  { part, before }: { readonly part: string; readonly before: number },
  order: InsertOrder,
): Promise<void> {
  try {
    await insertSpanBlock(clickhouse, block, part)
  } catch (error) {
    if (!mayHalve(error, order.outOfMemory)) throw error
    await insertInHalves(currentSpans(order).slice(before, before + block.spans), part, {
      outOfMemory: order.outOfMemory,
      insert: (spans, half) => insertSpanBlock(clickhouse, blockOf(spans), half),
      leaveOut: (_, half) => countTooLarge(clickhouse, "span", half, order),
    })
  }
}

/**
 * Inserts into the collector's table, then into ours, which the list reads: a span that is listed can be read. If the
 * insert is interrupted in between, nothing is acknowledged, and the repeated batch completes it.
 */
async function insertSpanBlock(clickhouse: ClickHouse, { trace, detail }: SpanBlock, batchId: string): Promise<void> {
  await insertBlock(clickhouse, { table: "otel_traces", batchId, block: trace })
  await insertBlock(clickhouse, { table: "pagespan_spans", batchId, block: detail })
}

/** The spans of the blocks, in their order. */
function currentSpans({ batches, retention }: InsertOrder): SpanRecord[] {
  return batches.flatMap((bytes) => decodeBatch(bytes).spans.filter((span) => !isExpired(span, retention)))
}

function blockOf(spans: readonly SpanRecord[]): SpanBlock {
  const block = new SpanBlock()
  for (const span of spans) block.add(span)
  return block
}

async function insertErrors(clickhouse: ClickHouse, errors: readonly ErrorEvent[], order: InsertOrder): Promise<void> {
  const current = errors.filter(({ time }) => time >= order.retention.oldest)
  const rows = current.map(toErrorRow)
  await insertInHalves(
    rows,
    order.batchId,
    rowsOf(clickhouse, "pagespan_errors", () => "error", order),
  )
  await countExpired(clickhouse, "error", errors.length - current.length, order)
}

async function insertLogs(clickhouse: ClickHouse, logs: readonly LogRecord[], order: InsertOrder): Promise<void> {
  const current = logs.filter(({ time }) => time >= order.retention.oldest)
  const rows = current.map(toLogRow)
  await insertInHalves(
    rows,
    order.batchId,
    rowsOf(clickhouse, "pagespan_logs", () => "log_item", order),
  )
  await countExpired(clickhouse, "log_item", logs.length - current.length, order)
}

async function insertItems(clickhouse: ClickHouse, items: readonly ItemRecord[], order: InsertOrder): Promise<void> {
  const current = items.filter(({ time }) => time >= order.retention.oldest)
  let position = 0
  for (const group of payloadGroups(current)) {
    const part = `${order.batchId}/${position++}`
    const { outOfMemory, insert, leaveOut } = rowsOf(clickhouse, "pagespan_items", missingCategory, order)
    await insertInHalves(group, part, {
      outOfMemory,
      leaveOut,
      insert: (some, half) => insert(some.map(toItemRow), half),
    })
  }
  // The error or spans of an event item are as old, and already counted.
  const expired = items.filter((item) => item.time < order.retention.oldest && !isEventItem(item))
  const counts = new Map<DropCategory, number>()
  for (const { type } of expired) counts.set(categoryOfItem(type), (counts.get(categoryOfItem(type)) ?? 0) + 1)
  for (const [category, count] of counts) await countExpired(clickhouse, category, count, order)
}

/** The records of an event's item are stored: only its original is missing. */
function missingCategory(item: ItemRecord): DropCategory {
  return isEventItem(item) ? "default" : categoryOfItem(item.type)
}

/** Bytes of payloads that become rows at a time: a batch can hold more than fits into memory three times. */
const GROUP_BYTES = 4 * 1024 * 1024

/** The groups depend on the items only: a repeated batch gives the same groups. */
function* payloadGroups(items: readonly ItemRecord[]): Generator<readonly ItemRecord[]> {
  let start = 0
  let bytes = 0
  for (const [index, { payload }] of items.entries()) {
    if (bytes > 0 && bytes + payload.length > GROUP_BYTES) {
      yield items.slice(start, index)
      start = index
      bytes = 0
    }
    bytes += payload.length
  }
  if (start < items.length) yield items.slice(start)
}

/** Inserts rows of a table, and counts those that alone exceed the engine's memory. */
function rowsOf<Row>(
  clickhouse: ClickHouse,
  table: string,
  categoryOf: (row: Row) => DropCategory,
  order: InsertOrder,
) {
  return {
    outOfMemory: order.outOfMemory,
    insert: (rows: readonly object[], batchId: string) => insertRows(clickhouse, { table, batchId, rows }),
    leaveOut: (row: Row, part: string) => countTooLarge(clickhouse, categoryOf(row), part, order),
  }
}

/** Records a drop for a record that the engine has too little memory for. */
async function countTooLarge(
  clickhouse: ClickHouse,
  category: DropCategory,
  part: string,
  { retention: { now } }: InsertOrder,
): Promise<void> {
  const sample = "a record that needs more memory than the store's engine has"
  const drop = {
    time: now,
    stage: "store",
    sender: "inspector",
    reason: "too_large",
    category,
    count: 1,
    sample,
  } as const
  await insertDrops(clickhouse, [drop], `${part}/too large ${category}`)
}

/** Records a drop for records that are not stored because of their age. */
async function countExpired(
  clickhouse: ClickHouse,
  category: DropCategory,
  count: number,
  { batchId, retention: { now } }: InsertOrder,
): Promise<void> {
  if (count === 0) return
  const sample = "records older than the retention"
  const drop = { time: now, stage: "store", sender: "inspector", reason: "expired", category, count, sample } as const
  await insertDrops(clickhouse, [drop], `${batchId}/expired ${category}`)
}
