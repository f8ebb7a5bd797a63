/** Finds the new records on the first page of a list. Their times do not show it, since an old record may arrive late. */
export class KnownItems<Item> {
  #keys: ReadonlySet<string> = new Set()

  /** The items that were not on the previous page, the newest last. */
  newAmong(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
    const news = items.filter((item) => !this.#keys.has(keyOf(item))).toReversed()
    this.#keys = new Set(items.map(keyOf))
    return news
  }
}
