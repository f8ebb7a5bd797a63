import type { PartialSuccess } from "../../../protocol/otlp/responses.ts"
import type { DropCategory, DropCount } from "../../../protocol/records/drop.ts"
import type { Refusal } from "../../../protocol/transport/responses.ts"
import type { DropLedger } from "../drop-ledger.ts"

/** A refused request counts as one record of its kind: what it held has not been read. */
export function countRefusal(drops: DropLedger, refusal: Refusal, category: DropCategory, count = 1): void {
  drops.record("handler", { reason: refusal.reason, category, count, sample: refusal.sample ?? refusal.message })
}

/** What the signal's records are called, and the category that those count under which were rejected. */
export interface RecordWords {
  readonly category: DropCategory
  readonly one: string
  readonly many: string
}

/** How many records were rejected and why, and what the kept ones lost; `undefined` when there is nothing to say. */
export function partialSuccess(drops: readonly DropCount[], words: RecordWords): PartialSuccess | undefined {
  if (drops.length === 0) return undefined
  const rejected = drops.filter(({ category }) => category === words.category)
  const cut = drops.filter(({ category }) => category !== words.category)
  const parts = [
    ...rejected.map(({ count, reason, sample }) => `${counted(count, words)} rejected as ${reason}: ${sample}.`),
    ...cut.map(({ count, sample }) => `${count} of what the accepted ${words.many} held was left out: ${sample}.`),
  ]
  return { rejected: rejected.reduce((sum, { count }) => sum + count, 0), message: parts.join(" ") }
}

function counted(count: number, { one, many }: RecordWords): string {
  return count === 1 ? `1 ${one}` : `${count} ${many}`
}
