import type { DropCategory, DropReason } from "../../../protocol/records/drop.ts"
import { PAGE_DROP_COUNT_LIMIT, PAGE_DROP_ENTRY_LIMIT } from "../../page-drops.ts"

export type CountDrop = (reason: DropReason, category: DropCategory, count: number) => void

/** Told by requests that have not been seen to arrive, at most: past it, what is new waits without a name. */
const AGAIN_LIMIT = 8

interface Telling {
  readonly text: string
  /** Its entries and its name. */
  readonly size: number
}

/** What this page lost and does not know to be told. */
export class PageDrops {
  /** By `reason/category`. */
  readonly #untold = new Map<string, number>()
  readonly #again = new Set<Telling>()
  #report: CountDrop | undefined

  get isEmpty(): boolean {
    return this.#untold.size + this.#again.size === 0
  }

  readonly count: CountDrop = (...drop) => {
    this.add(...drop)
    this.#report?.(...drop)
  }

  /** Counts what the Sentry client knows by itself. */
  readonly add: CountDrop = (reason, category, count) => this.#add(`${reason}/${category}`, count)

  /** From now on the Sentry client's own reports have what is counted here too. */
  reportTo(report: CountDrop): void {
    for (const [key, count] of this.#untold) {
      const [reason, category] = key.split("/") as [DropReason, DropCategory]
      report(reason, category, count)
    }
    this.#report = report
  }

  /**
   * Takes what a request's header can tell, so that no other request tells it as well.
   *
   * @returns `giveBack`, for a request that has not been seen to arrive: what it told is told again under its name.
   */
  take(): { readonly header: string; giveBack(): void } {
    if (this.#again.size < AGAIN_LIMIT) this.#name()
    let room = PAGE_DROP_ENTRY_LIMIT
    const told = [...this.#again].filter(({ size }) => (room -= size) >= 0)
    for (const telling of told) this.#again.delete(telling)
    return {
      header: told.map(({ text }) => text).join(";"),
      giveBack: () => told.forEach((telling) => this.#again.add(telling)),
    }
  }

  clear(): void {
    this.#untold.clear()
    this.#again.clear()
  }

  /** Gives what nobody has been told yet a name to be told under. */
  #name(): void {
    const entries: string[] = []
    for (const [key, count] of this.#untold) {
      if (entries.length + 1 >= PAGE_DROP_ENTRY_LIMIT) break
      const told = Math.min(count, PAGE_DROP_COUNT_LIMIT)
      entries.push(`${key}=${told}`)
      this.#add(key, -told)
    }
    if (entries.length === 0) return
    const name = Math.floor(Math.random() * 2 ** 52).toString(36)
    this.#again.add({ text: `${name}:${entries.join()}`, size: entries.length + 1 })
  }

  #add(key: string, count: number): void {
    const sum = (this.#untold.get(key) ?? 0) + count
    if (sum === 0) this.#untold.delete(key)
    else this.#untold.set(key, sum)
  }
}
