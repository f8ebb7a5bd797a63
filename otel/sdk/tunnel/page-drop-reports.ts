import { isDropCategory, isDropReason } from "../../protocol/records/drop.ts"
import { PAGE_DROP_COUNT_LIMIT, PAGE_DROPS_HEADER, type PageDrop, type DropReport } from "../page-drops.ts"
import { countDrop } from "../server/drops.ts"

const HEADER_LIMIT = 4_096
const TOLD = /^([a-z\d]{1,16}):(.+)$/
const ENTRY = /^([a-z_]{1,32})\/([a-z_]{1,32})=([1-9]\d{0,6})$/

/** `undefined` for a header that a page of ours did not write: any part that is not exactly right spoils it. */
export function parsePageDrops(header: string): readonly DropReport[] | undefined {
  if (header.length > HEADER_LIMIT) return undefined
  const all: DropReport[] = []
  for (const told of header === "" ? [] : header.split(";")) {
    const [, name = "", entries = ""] = TOLD.exec(told) ?? []
    const drops = parseEntries(entries)
    if (drops === undefined) return undefined
    all.push({ name, drops })
  }
  return all
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

/** Names that are remembered: a page tells again within minutes what it has not seen to arrive. */
const NAMES_LIMIT = 10_000

const counted = new Set<string>()

/** What a page says that it has lost; `undefined` for a sender that says nothing of it, such as a Sentry SDK by itself. */
export function reportedDrops(request: Request): readonly DropReport[] | undefined {
  const header = request.headers.get(PAGE_DROPS_HEADER)
  if (header === null) return undefined
  const told = parsePageDrops(header)
  if (told === undefined) countDrop("tunnel", "malformed", "internal", 1, "the drops that a page tells")
  return told ?? []
}

/** Once for each name: a page that is left while an answer is on its way tells the same again. */
export function countReportedDrops(told: readonly DropReport[]): void {
  for (const { name, drops } of told) {
    if (counted.has(name)) continue
    counted.add(name)
    for (const oldest of counted) {
      if (counted.size <= NAMES_LIMIT) break
      counted.delete(oldest)
    }
    for (const { reason, category, count } of drops) countDrop("page", reason, category, count, "told by a page")
  }
}
