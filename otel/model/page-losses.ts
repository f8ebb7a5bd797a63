import type { LossCategory, LossReason } from "./loss.ts"
import { isLossCategory, isLossReason } from "./loss-names.ts"

/**
 * What a page has lost travels in one header of whatever it delivers through the tunnel next:
 * `pagespan-losses: noisy_error/error=2,queue_overflow/span=40`. A page that sends the header, even empty, tells all of
 * its losses this way, and its Sentry client's reports are not counted as well.
 */
export const PAGE_LOSSES_HEADER = "pagespan-losses"

/** All of the header; a browser's and Node's own limit for all headers is 16 KiB. */
const HEADER_LIMIT = 4_096
const COUNT_LIMIT = 1_000_000
const ENTRY = /^([a-z_]{1,32})\/([a-z_]{1,32})=([1-9]\d{0,6})$/

export interface PageLoss {
  readonly reason: LossReason
  readonly category: LossCategory
  readonly count: number
}

/** `undefined` for a header that a page of ours did not write: any entry that is not exactly right spoils it. */
export function parsePageLosses(header: string): readonly PageLoss[] | undefined {
  if (header.length > HEADER_LIMIT) return undefined
  const losses: PageLoss[] = []
  for (const entry of header === "" ? [] : header.split(",")) {
    const [, reason = "", category = "", digits = ""] = ENTRY.exec(entry) ?? []
    const count = Number(digits)
    if (!isLossReason(reason) || !isLossCategory(category) || count > COUNT_LIMIT) return undefined
    losses.push({ reason, category, count })
  }
  return losses
}

/** As many entries as the header holds; what does not fit, or is past the most that may be told at once, is in `rest`. */
export function formatPageLosses(losses: readonly PageLoss[]): { readonly header: string; readonly rest: PageLoss[] } {
  let header = ""
  const rest: PageLoss[] = []
  for (const loss of losses) {
    const count = Math.min(loss.count, COUNT_LIMIT)
    const entry = `${header === "" ? "" : ","}${loss.reason}/${loss.category}=${count}`
    const fits = header.length + entry.length <= HEADER_LIMIT
    if (fits) header += entry
    const left = fits ? loss.count - count : loss.count
    if (left > 0) rest.push({ ...loss, count: left })
  }
  return { header, rest }
}
