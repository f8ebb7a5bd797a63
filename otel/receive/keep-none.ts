import type { LossCategory } from "../model/loss.ts"
import type { RecordCount } from "../wire/otlp/index.ts"
import type { LossLedger } from "./loss-ledger.ts"
import { type Handled, refuseUndecodable } from "./otlp-door.ts"

/** A full partial success: the client is told that nothing was kept, and why, and does not send it again. */
export function keepNone(losses: LossLedger, counted: RecordCount, category: LossCategory, message: string): Handled {
  if (!counted.ok) return refuseUndecodable(counted)
  if (counted.count === 0) return { ok: true, partial: undefined }
  losses.record("door", { reason: "not_kept", category, count: counted.count, sample: message })
  return { ok: true, partial: { rejected: counted.count, message: `${message}.` } }
}
