import type { DropCategory, DropReason } from "../protocol/records/drop.ts"

/**
 * What a page has lost travels in one header of whatever it delivers through the tunnel next:
 * `pagespan-drops: k3x9v0qa:noisy_error/error=2,queue_overflow/span=40`. The word in front names what is told: a page
 * that has not seen an answer tells the same again under the same name, after a `;` where there is something new, and
 * the tunnel counts a name once. A page that sends the header, even empty, tells all of its drops this way, and its
 * Sentry client's reports are not counted as well.
 */
export const PAGE_DROPS_HEADER = "pagespan-drops"

/**
 * Marks a request that the page sends again where it is answered with a status that may pass. The tunnel does not count such
 * a refusal: the page counts what it gives up.
 */
export const PAGE_RETRY_HEADER = "pagespan-retry"

/** Entries and names of one header: 4 KiB at their longest, where a browser's and Node's own limit for all headers is 16 KiB. */
export const PAGE_DROP_ENTRY_LIMIT = 90
/** Of one reason and category, at once. */
export const PAGE_DROP_COUNT_LIMIT = 1_000_000

export interface PageDrop {
  readonly reason: DropReason
  readonly category: DropCategory
  readonly count: number
}

/** Drops that a page tells together, as often as it takes. */
export interface DropReport {
  readonly name: string
  readonly drops: readonly PageDrop[]
}
