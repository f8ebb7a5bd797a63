import type { LossCategory, LossReason } from "../../model/loss.ts"
import { PAGE_LOSS_COUNT_LIMIT, PAGE_LOSS_ENTRY_LIMIT } from "../../model/page-losses.ts"

export type CountLoss = (reason: LossReason, category: LossCategory, count: number) => void

/** What this page lost and has told nobody yet. */
export class PageLosses {
  /** By `reason/category`. */
  readonly #untold = new Map<string, number>()
  #report: CountLoss | undefined

  get isEmpty(): boolean {
    return this.#untold.size === 0
  }

  readonly count: CountLoss = (...loss) => {
    this.add(...loss)
    this.#report?.(...loss)
  }

  /** Counts what the Sentry client knows by itself. */
  readonly add: CountLoss = (reason, category, count) => this.#add(`${reason}/${category}`, count)

  /** From now on the Sentry client's own reports have what is counted here too. */
  reportTo(report: CountLoss): void {
    for (const [key, count] of this.#untold) {
      const [reason, category] = key.split("/") as [LossReason, LossCategory]
      report(reason, category, count)
    }
    this.#report = report
  }

  /**
   * Takes what a request's header can tell, so that no other request tells it as well.
   *
   * @returns `giveBack`, for a request that has not arrived.
   */
  take(): { readonly header: string; giveBack(): void } {
    const told: [string, number][] = []
    for (const [key, count] of [...this.#untold].slice(0, PAGE_LOSS_ENTRY_LIMIT))
      told.push([key, Math.min(count, PAGE_LOSS_COUNT_LIMIT)])
    const addAll = (sign: 1 | -1) => told.forEach(([key, count]) => this.#add(key, sign * count))
    addAll(-1)
    return { header: told.map((entry) => entry.join("=")).join(), giveBack: () => addAll(1) }
  }

  clear(): void {
    this.#untold.clear()
  }

  #add(key: string, count: number): void {
    const sum = (this.#untold.get(key) ?? 0) + count
    if (sum === 0) this.#untold.delete(key)
    else this.#untold.set(key, sum)
  }
}
