import type { DropCategory, DropReason } from "../../../protocol/records/drop.ts"
import { PAGE_DROP_COUNT_LIMIT, PAGE_DROP_ENTRY_LIMIT } from "../../page-drops.ts"

export type CountDrop = (reason: DropReason, category: DropCategory, count: number) => void

/** Reports whose request has not succeeded, at most. Past it, new drops wait without a name. */
const AGAIN_LIMIT = 8

interface Report {
  readonly text: string
  /** Its entries, plus one for its name. */
  readonly size: number
}

/** The drops of this page that no request has reported yet. */
export class PageDrops {
  /** By `reason/category`. */
  readonly #unreported = new Map<string, number>()
  readonly #again = new Set<Report>()
  #report: CountDrop | undefined

  get isEmpty(): boolean {
    return this.#unreported.size + this.#again.size === 0
  }

  readonly count: CountDrop = (...drop) => {
    this.add(...drop)
    this.#report?.(...drop)
  }

  /** Counts a drop that the Sentry client already knows. */
  readonly add: CountDrop = (reason, category, count) => this.#add(`${reason}/${category}`, count)

  /** From now on the client reports of Sentry's client include these drops too. */
  reportTo(report: CountDrop): void {
    for (const [key, count] of this.#unreported) {
      const [reason, category] = key.split("/") as [DropReason, DropCategory]
      report(reason, category, count)
    }
    this.#report = report
  }

  /**
   * Takes what fits into the header of one request, so that no other request reports it as well.
   *
   * @returns the header, and `release` for a request that failed: its drops are reported again, under the same name.
   */
  take(): { readonly header: string; release(): void } {
    if (this.#again.size < AGAIN_LIMIT) this.#name()
    let room = PAGE_DROP_ENTRY_LIMIT
    const reports = [...this.#again].filter(({ size }) => (room -= size) >= 0)
    for (const report of reports) this.#again.delete(report)
    return {
      header: reports.map(({ text }) => text).join(";"),
      release: () => reports.forEach((report) => this.#again.add(report)),
    }
  }

  clear(): void {
    this.#unreported.clear()
    this.#again.clear()
  }

  /** Names the drops that are new, so that the tunnel counts a report that arrives twice once. */
  #name(): void {
    const entries: string[] = []
    for (const [key, count] of this.#unreported) {
      if (entries.length + 1 >= PAGE_DROP_ENTRY_LIMIT) break
      const reported = Math.min(count, PAGE_DROP_COUNT_LIMIT)
      entries.push(`${key}=${reported}`)
      this.#add(key, -reported)
    }
    if (entries.length === 0) return
    const name = Math.floor(Math.random() * 2 ** 52).toString(36)
    this.#again.add({ text: `${name}:${entries.join()}`, size: entries.length + 1 })
  }

  #add(key: string, count: number): void {
    const sum = (this.#unreported.get(key) ?? 0) + count
    if (sum === 0) this.#unreported.delete(key)
    else this.#unreported.set(key, sum)
  }
}
