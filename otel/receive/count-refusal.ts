import type { LossCategory } from "../model/loss.ts"
import type { LossLedger } from "./loss-ledger.ts"
import type { Refusal } from "./refusal.ts"

/** A refused request counts as one record of its kind: what it held has not been read. */
export function countRefusal(losses: LossLedger, refusal: Refusal, category: LossCategory, count = 1): void {
  losses.record("door", { reason: refusal.reason, category, count, sample: refusal.sample ?? refusal.message })
}
