import { dropCategory, type DropCount, dropReason, DropTally } from "../records/drop.ts"
import { isObject, type JsonObject, parseObject, textOf } from "./json.ts"

/** Reasons and categories are closed sets, so there cannot be more different entries. */
const ENTRY_LIMIT = 1_000
/** No SDK reports more. */
const QUANTITY_LIMIT = 1_000_000_000

/**
 * Reads the drops that an SDK reports, with Sentry's own reasons. An unknown reason counts as `internal_sdk_error`.
 *
 * @see https://develop.sentry.dev/sdk/telemetry/client-reports/
 */
export function readClientReport(report: JsonObject, into: DropTally): void {
  const entries = Array.isArray(report["discarded_events"]) ? report["discarded_events"] : []
  for (const entry of entries.slice(0, ENTRY_LIMIT).filter(isObject)) {
    const { reason, category, quantity } = entry
    const count = Math.min(Number.isSafeInteger(quantity) ? (quantity as number) : 0, QUANTITY_LIMIT)
    if (count >= 1) into.add(dropReason(textOf(reason)), dropCategory(textOf(category)), "reported by an SDK", count)
  }
}

/** The drops in the payload of a client report. */
export function clientReportDrops(payload: Uint8Array): DropCount[] {
  const tally = new DropTally()
  readClientReport(parseObject(payload) ?? {}, tally)
  return tally.list()
}
