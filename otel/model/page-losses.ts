import type { LossCategory, LossReason } from "./loss.ts"

/**
 * What a page has lost travels in one header of whatever it delivers through the tunnel next:
 * `pagespan-losses: noisy_error/error=2,queue_overflow/span=40`. A page that sends the header, even empty, tells all of
 * its losses this way, and its Sentry client's reports are not counted as well.
 */
export const PAGE_LOSSES_HEADER = "pagespan-losses"

/** All of the header; a browser's and Node's own limit for all headers is 16 KiB. */
export const PAGE_LOSSES_HEADER_LIMIT = 4_096
/** Of one reason and category, at once. */
export const PAGE_LOSS_COUNT_LIMIT = 1_000_000

export interface PageLoss {
  readonly reason: LossReason
  readonly category: LossCategory
  readonly count: number
}

interface FormattedLosses {
  readonly header: string
  /** What the header tells. */
  readonly told: PageLoss[]
  /** What it has no room for, or what is past the most that may be told at once. */
  readonly rest: PageLoss[]
}

/** As many entries as the header holds. */
export function formatPageLosses(losses: readonly PageLoss[]): FormattedLosses {
  let header = ""
  const told: PageLoss[] = []
  const rest: PageLoss[] = []
  for (const loss of losses) {
    const count = Math.min(loss.count, PAGE_LOSS_COUNT_LIMIT)
    const entry = `${header === "" ? "" : ","}${loss.reason}/${loss.category}=${count}`
    const fits = header.length + entry.length <= PAGE_LOSSES_HEADER_LIMIT
    if (fits) {
      header += entry
      told.push({ ...loss, count })
    }
    const left = fits ? loss.count - count : loss.count
    if (left > 0) rest.push({ ...loss, count: left })
  }
  return { header, told, rest }
}
