/** What an envelope of Relay's largest size could hold; a number past it is made up. */
const QUANTITY_LIMIT = 100_000

/** How many records an item holds: a container of spans or logs says so in its header's `item_count`. */
export function quantityOfItem(itemCount: unknown): number {
  const isTold = typeof itemCount === "number" && Number.isInteger(itemCount) && itemCount > 0
  return isTold ? Math.min(itemCount, QUANTITY_LIMIT) : 1
}
