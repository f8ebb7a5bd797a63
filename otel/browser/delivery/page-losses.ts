import type { LossCategory, LossReason } from "../../model/loss.ts"
import { formatPageLosses, type PageLoss } from "../../model/page-losses.ts"

export type CountLoss = (reason: LossReason, category: LossCategory, count: number) => void

/** What this page lost and has told nobody yet, by reason and category. */
export class PageLosses {
  readonly #untold = new Map<string, PageLoss>()
  #report: CountLoss | undefined

  get isEmpty(): boolean {
    return this.#untold.size === 0
  }

  readonly count: CountLoss = (...loss) => {
    this.add(...loss)
    this.#report?.(...loss)
  }

  /** Counts what the Sentry client knows by itself. */
  readonly add: CountLoss = (reason, category, count) => {
    const key = `${reason}/${category}`
    this.#untold.set(key, { reason, category, count: count + (this.#untold.get(key)?.count ?? 0) })
  }

  /** From now on the Sentry client's own reports have what is counted here too. */
  reportTo(report: CountLoss): void {
    for (const { reason, category, count } of this.#untold.values()) report(reason, category, count)
    this.#report = report
  }

  /**
   * Takes what a request's header can tell, so that no other request tells it as well.
   *
   * @returns `giveBack`, for a request that has not arrived.
   */
  take(): { readonly header: string; giveBack(): void } {
    const { header, told, rest } = formatPageLosses([...this.#untold.values()])
    this.clear()
    this.#addAll(rest)
    return { header, giveBack: () => this.#addAll(told) }
  }

  clear(): void {
    this.#untold.clear()
  }

  #addAll(losses: readonly PageLoss[]): void {
    for (const { reason, category, count } of losses) this.add(reason, category, count)
  }
}
