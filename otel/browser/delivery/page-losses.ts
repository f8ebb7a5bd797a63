import type { LossCategory, LossReason } from "../../model/loss.ts"

/** What this page lost, by reason and category. */
export class PageLosses {
  readonly #counts = new Map<string, number>()

  count(reason: LossReason, category: LossCategory, count: number): void {
    const key = `${reason}/${category}`
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + count)
  }

  /** Counts by `reason/category`. */
  snapshot(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts)
  }
}
