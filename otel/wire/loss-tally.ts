import type { LossCategory, LossReason, LossRecord } from "../model/loss.ts"

/** A loss before it is known where and when: whoever reads a request says what, the door adds the rest. */
export type LossCount = Pick<LossRecord, "reason" | "category" | "count" | "sample">

/** Adds up losses of one request by reason and category, with the first sample of each. */
export class LossTally {
  readonly #counts = new Map<string, { -readonly [Key in keyof LossCount]: LossCount[Key] }>()

  add(reason: LossReason, category: LossCategory, sample: string, count = 1): void {
    const key = `${reason} ${category}`
    const known = this.#counts.get(key)
    if (known === undefined) this.#counts.set(key, { reason, category, count, sample })
    else known.count += count
  }

  addAll(losses: readonly LossCount[]): void {
    for (const { reason, category, sample, count } of losses) this.add(reason, category, sample, count)
  }

  list(): LossCount[] {
    return [...this.#counts.values()]
  }
}
