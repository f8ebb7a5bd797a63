import { PAGE_LOSSES_HEADER, type ToldLosses } from "../model/page-losses.ts"
import { countLoss } from "../server/losses.ts"
import { parsePageLosses } from "./parse-page-losses.ts"

/** Names that are remembered: a page tells again within minutes what it has not seen to arrive. */
const NAMES_LIMIT = 10_000

const counted = new Set<string>()

/** What a page says that it has lost; `undefined` for a sender that says nothing of it, such as a Sentry SDK by itself. */
export function toldLosses(request: Request): readonly ToldLosses[] | undefined {
  const header = request.headers.get(PAGE_LOSSES_HEADER)
  if (header === null) return undefined
  const told = parsePageLosses(header)
  if (told === undefined) countLoss("tunnel", "malformed", "internal", 1, "the losses that a page tells")
  return told ?? []
}

/** Once for each name: a page that is left while an answer is on its way tells the same again. */
export function countTold(told: readonly ToldLosses[]): void {
  for (const { name, losses } of told) {
    if (counted.has(name)) continue
    counted.add(name)
    for (const oldest of counted) {
      if (counted.size <= NAMES_LIMIT) break
      counted.delete(oldest)
    }
    for (const { reason, category, count } of losses) countLoss("page", reason, category, count, "told by a page")
  }
}
