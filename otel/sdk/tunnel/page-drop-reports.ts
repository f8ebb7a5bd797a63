import { isDropCategory, isDropReason } from "../../protocol/records/drop.ts"
import { type DropReport, PAGE_DROP_COUNT_LIMIT, PAGE_DROPS_HEADER, type PageDrop } from "../page-drops.ts"
import { processState } from "../process-state.ts"
import { countDrop } from "../server/drops/count-drop.ts"

/** Drop reports that pages send in a header of their requests to the tunnel. `page-drops.ts` documents the header. */

const HEADER_LIMIT = 4_096
const REPORT = /^([a-z\d]{1,16}):(.+)$/
const ENTRY = /^([a-z_]{1,32})\/([a-z_]{1,32})=([1-9]\d{0,6})$/

/** @returns `undefined` if any part of the header is malformed: then no page of ours wrote it. */
export function parsePageDrops(header: string): readonly DropReport[] | undefined {
  if (header.length > HEADER_LIMIT) return undefined
  const reports: DropReport[] = []
  for (const text of header === "" ? [] : header.split(";")) {
    const [, name = "", entries = ""] = REPORT.exec(text) ?? []
    const drops = parseEntries(entries)
    if (drops === undefined) return undefined
    reports.push({ name, drops })
  }
  return reports
}

function parseEntries(entries: string): readonly PageDrop[] | undefined {
  const drops: PageDrop[] = []
  for (const entry of entries.split(",")) {
    const [, reason = "", category = "", digits = ""] = ENTRY.exec(entry) ?? []
    const count = Number(digits)
    if (!isDropReason(reason) || !isDropCategory(category) || count > PAGE_DROP_COUNT_LIMIT) return undefined
    drops.push({ reason, category, count })
  }
  return drops
}

/**
 * The drop reports in a page's request. An empty list means that the page had none, or that the header was malformed, which
 * is counted.
 *
 * @returns `undefined` for a sender without the header, such as a Sentry SDK without Pagespan.
 */
export function reportedDrops(request: Request): readonly DropReport[] | undefined {
  const header = request.headers.get(PAGE_DROPS_HEADER)
  if (header === null) return undefined
  const reports = parsePageDrops(header)
  if (reports === undefined) countDrop("tunnel", "malformed", "internal", 1, "drop reports of a page")
  return reports ?? []
}

/** Report names remembered against double counting. A page resends an unacknowledged report within minutes. */
const NAMES_LIMIT = 10_000

const state = processState<Set<string>>("counted-drop-reports")

/** Counts each report name once: a page that unloads before it sees the response resends its reports. */
export function countReportedDrops(reports: readonly DropReport[]): void {
  const counted = (state.value ??= new Set())
  for (const { name, drops } of reports) {
    if (counted.has(name)) continue
    counted.add(name)
    for (const oldest of counted) {
      if (counted.size <= NAMES_LIMIT) break
      counted.delete(oldest)
    }
    for (const { reason, category, count } of drops)
      countDrop("page", reason, category, count, "reported by the browser SDK")
  }
}
