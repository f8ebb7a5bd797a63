import type { RecordCount } from "../../protocol/otlp/read-groups.ts"
import type { DropCategory } from "../../protocol/records/drop.ts"
import type { DropLedger } from "./drop-ledger.ts"
import { type Handled, refuseUndecodable } from "./otlp/otlp-handler.ts"

/** A full partial success: the client is told that nothing was kept, and why, and does not send it again. */
export function discardAll(drops: DropLedger, counted: RecordCount, category: DropCategory, message: string): Handled {
  if (!counted.ok) return refuseUndecodable(counted)
  if (counted.count === 0) return { ok: true, partial: undefined }
  drops.record("handler", { reason: "not_kept", category, count: counted.count, sample: message })
  return { ok: true, partial: { rejected: counted.count, message: `${message}.` } }
}
