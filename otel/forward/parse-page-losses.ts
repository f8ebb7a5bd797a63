import { isLossCategory, isLossReason } from "../model/loss-names.ts"
import { PAGE_LOSS_COUNT_LIMIT, type PageLoss, type ToldLosses } from "../model/page-losses.ts"

const HEADER_LIMIT = 4_096
const TOLD = /^([a-z\d]{1,16}):(.+)$/
const ENTRY = /^([a-z_]{1,32})\/([a-z_]{1,32})=([1-9]\d{0,6})$/

/** `undefined` for a header that a page of ours did not write: any part that is not exactly right spoils it. */
export function parsePageLosses(header: string): readonly ToldLosses[] | undefined {
  if (header.length > HEADER_LIMIT) return undefined
  const all: ToldLosses[] = []
  for (const told of header === "" ? [] : header.split(";")) {
    const [, name = "", entries = ""] = TOLD.exec(told) ?? []
    const losses = parseEntries(entries)
    if (losses === undefined) return undefined
    all.push({ name, losses })
  }
  return all
}

function parseEntries(entries: string): readonly PageLoss[] | undefined {
  const losses: PageLoss[] = []
  for (const entry of entries.split(",")) {
    const [, reason = "", category = "", digits = ""] = ENTRY.exec(entry) ?? []
    const count = Number(digits)
    if (!isLossReason(reason) || !isLossCategory(category) || count > PAGE_LOSS_COUNT_LIMIT) return undefined
    losses.push({ reason, category, count })
  }
  return losses
}
