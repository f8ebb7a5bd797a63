import type { LossCategory } from "../model/loss.ts"
import type { LossCount, PartialSuccess } from "../wire/otlp/index.ts"

/** What the signal's records are called, and the category that those count under which were rejected. */
export interface RecordWords {
  readonly category: LossCategory
  readonly one: string
  readonly many: string
}

/** How many records were rejected and why, and what the kept ones lost; `undefined` when there is nothing to say. */
export function partialSuccess(losses: readonly LossCount[], words: RecordWords): PartialSuccess | undefined {
  if (losses.length === 0) return undefined
  const rejected = losses.filter(({ category }) => category === words.category)
  const cut = losses.filter(({ category }) => category !== words.category)
  const parts = [
    ...rejected.map(({ count, reason, sample }) => `${counted(count, words)} rejected as ${reason}: ${sample}.`),
    ...cut.map(({ count, sample }) => `${count} of what the accepted ${words.many} held was left out: ${sample}.`),
  ]
  return { rejected: rejected.reduce((sum, { count }) => sum + count, 0), message: parts.join(" ") }
}

function counted(count: number, { one, many }: RecordWords): string {
  return count === 1 ? `1 ${one}` : `${count} ${many}`
}
