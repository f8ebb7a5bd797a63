import type { DropCategory, DropReason } from "../protocol/records/drop.ts"

/**
 * Request header in which a page reports its drops to the tunnel:
 * `pagespan-drops: k3x9v0qa:noisy_error/error=2,queue_overflow/span=40`. The word before the colon names the report. A page
 * that does not see a successful response resends the report under the same name, followed by `;` and a new report if there
 * is one; the tunnel counts each name once. A page that sends the header, even empty, reports all of its drops this way, so
 * the tunnel ignores the client reports of its Sentry client.
 */
export const PAGE_DROPS_HEADER = "pagespan-drops"

/**
 * Request header that announces a retry after a retryable status. The tunnel does not count such a refusal; the page counts
 * what it drops after its last attempt.
 */
export const PAGE_RETRY_HEADER = "pagespan-retry"

/** Most entries and names in one header: 4 KiB at their longest. Browsers and Node limit all headers together to 16 KiB. */
export const PAGE_DROP_ENTRY_LIMIT = 90
/** Highest count of one entry. */
export const PAGE_DROP_COUNT_LIMIT = 1_000_000

export interface PageDrop {
  readonly reason: DropReason
  readonly category: DropCategory
  readonly count: number
}

/** Drops that a page reports together, under one name, until the tunnel has acknowledged them. */
export interface DropReport {
  readonly name: string
  readonly drops: readonly PageDrop[]
}
