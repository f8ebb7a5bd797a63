import { categoryOfItem, type DropCategory } from "../../../protocol/records/drop.ts"
import { isEventItem, type ItemRecord } from "../../../protocol/records/envelope-item.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { toItemRow } from "../rows/item-row.ts"
import { countExpired, type Retention } from "./expired.ts"
import { insertRows } from "./insert.ts"

/** Payloads are turned into rows this many bytes at a time: a batch may hold more than should be in memory three times over. */
const GROUP_BYTES = 4 * 1024 * 1024

export async function insertItems(
  clickhouse: ClickHouse,
  items: readonly ItemRecord[],
  batchId: string,
  retention: Retention,
): Promise<void> {
  const kept = items.filter(({ time }) => time >= retention.oldest)
  let position = 0
  for (const group of groups(kept))
    await insertRows(clickhouse, {
      table: "pagespan_items",
      batchId: `${batchId}/${position++}`,
      rows: group.map(toItemRow),
    })
  // Of an event the error or the spans count, which are as old.
  const expired = items.filter((item) => item.time < retention.oldest && !isEventItem(item))
  const counts = new Map<DropCategory, number>()
  for (const { type } of expired) counts.set(categoryOfItem(type), (counts.get(categoryOfItem(type)) ?? 0) + 1)
  for (const [category, count] of counts) await countExpired(clickhouse, category, count, batchId, retention)
}

/** In groups that depend on the items alone: a repeated batch falls into the same ones. */
function* groups(items: readonly ItemRecord[]): Generator<readonly ItemRecord[]> {
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
