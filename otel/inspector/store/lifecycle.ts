import { setTimeout as delay } from "node:timers/promises"
import { Backoff, type Dependencies } from "./backoff.ts"
import type { Endpoint, Host, HostListener } from "./clickhouse-backend.ts"
import { type ClickHouse, connect, NoAnswer } from "./clickhouse.ts"
import { asStoreFailure, isAiling, QueryCancelled, StoreUnavailable, whyAway } from "./failure.ts"
import { probeWriting } from "./schema/probe-writing.ts"
import { StateCell } from "./state.ts"

/** How long a close waits for what runs. */
const CLOSE_MS = 10_000

/**
 * Brings a store from started to ready and back: connects to where its host says, prepares the schema, and does so
 * again after each failure until it is closed or can never be. Where only writing fails (a full disk), the store is
 * down, still answers what it can read, and tries by itself whether it can write again.
 */
export class Lifecycle implements HostListener {
  readonly cell = new StateCell()
  readonly #host: Host
  readonly #prepare: (clickhouse: ClickHouse) => Promise<void>
  readonly #backoff: Backoff
  #clickhouse: ClickHouse | undefined
  #endpoint: Endpoint | undefined
  #retry: NodeJS.Timeout | undefined
  #impossible: Error | undefined
  readonly #running = new Set<Promise<unknown>>()
  readonly #waiting = new Set<{ resolve: () => void; reject: (error: Error) => void }>()

  /** `prepare` throws what is away for now; an error that is not of that kind makes the store impossible. */
  constructor(host: Host, prepare: (clickhouse: ClickHouse) => Promise<void>, surroundings: Dependencies) {
    this.#host = host
    this.#prepare = prepare
    this.#backoff = new Backoff(surroundings)
    host.start(this)
  }

  up(endpoint: Endpoint): void {
    this.#endpoint = endpoint
    void this.#attempt(endpoint)
  }

  down(reason: string): void {
    this.#endpoint = undefined
    this.#leave(reason)
  }

  impossible(reason: string): void {
    this.#impossible = new Error(reason)
    this.#leave(reason)
    this.#settle()
    void this.#host.stop()
  }

  /**
   * @param left aborts when nobody waits for the answer any more: what reads is then ended in the engine.
   * @throws {StoreUnavailable} when the store cannot answer, or turns out to be away.
   * @throws {QueryCancelled} when the asker has left.
   */
  async read<Answer>(work: (clickhouse: ClickHouse) => Promise<Answer>, left?: AbortSignal): Promise<Answer> {
    const clickhouse = this.#clickhouse
    if (!clickhouse) throw new StoreUnavailable(this.cell.problem ?? `The store is ${this.cell.state}.`)
    const answer = work(left === undefined ? clickhouse : clickhouse.until(left))
    this.#running.add(answer)
    try {
      return await answer
    } catch (error) {
      if (left?.aborted) throw new QueryCancelled("The asker has left.", { cause: error })
      if (error instanceof NoAnswer && clickhouse === this.#clickhouse) this.#lost(error)
      throw asStoreFailure(error)
    } finally {
      this.#running.delete(answer)
    }
  }

  /** @throws {StoreUnavailable} when the store cannot write, or turns out to be away. */
  write(work: (clickhouse: ClickHouse) => Promise<void>): Promise<void> {
    return this.read(async (clickhouse) => {
      if (this.cell.state !== "ready") throw new StoreUnavailable(this.cell.problem)
      try {
        await work(clickhouse)
      } catch (error) {
        if (isAiling(error) && clickhouse === this.#clickhouse && this.cell.state === "ready")
          this.#ailing(clickhouse, error)
        throw error
      }
    })
  }

  ready(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.add({ resolve, reject })
      this.#settle()
    })
  }

  /** Takes no new work, waits for what runs, and stops the host. */
  async close(): Promise<void> {
    if (this.cell.state === "closed") return
    const clickhouse = this.#clickhouse
    clearTimeout(this.#retry)
    this.#clickhouse = undefined
    this.#endpoint = undefined
    this.cell.set("closed", "The store is closed.")
    this.#settle()
    await Promise.race([Promise.allSettled(this.#running), delay(CLOSE_MS, undefined, { ref: false })])
    await clickhouse?.close()
    await this.#host.stop()
  }

  async #attempt(endpoint: Endpoint): Promise<void> {
    let clickhouse: ClickHouse | undefined
    try {
      clickhouse = connect(endpoint)
      await this.#prepare(clickhouse)
    } catch (error) {
      await clickhouse?.close()
      if (endpoint === this.#endpoint) this.#failed(error)
      return
    }
    if (endpoint !== this.#endpoint || this.cell.state === "closed") return clickhouse.close()
    this.#clickhouse = clickhouse
    this.#backoff.up()
    this.cell.set("ready")
    this.#settle()
  }

  #failed(error: unknown): void {
    const why = whyAway(error)
    if (why === undefined) this.impossible(error instanceof Error ? error.message : String(error))
    else this.#lost(error)
  }

  #lost(error: unknown): void {
    this.#leave(whyAway(error) ?? "ClickHouse fails.")
    const endpoint = this.#endpoint
    if (endpoint) this.#retry = setTimeout(() => void this.#attempt(endpoint), this.#backoff.next())
  }

  #ailing(clickhouse: ClickHouse, error: unknown): void {
    clearTimeout(this.#retry)
    this.cell.set("down", whyAway(error) ?? "ClickHouse fails to write.")
    this.#retry = setTimeout(() => void this.#recover(clickhouse), this.#backoff.next())
  }

  async #recover(clickhouse: ClickHouse): Promise<void> {
    try {
      await probeWriting(clickhouse)
    } catch (error) {
      if (clickhouse !== this.#clickhouse) return
      if (error instanceof NoAnswer) this.#lost(error)
      else this.#ailing(clickhouse, error)
      return
    }
    if (clickhouse !== this.#clickhouse) return
    this.#backoff.up()
    this.cell.set("ready")
    this.#settle()
  }

  #leave(reason: string): void {
    if (this.cell.state === "closed") return
    clearTimeout(this.#retry)
    void this.#clickhouse?.close()
    this.#clickhouse = undefined
    this.cell.set("down", reason)
  }

  #settle(): void {
    const { state, problem } = this.cell
    const refusal = this.#impossible ?? (state === "closed" ? new StoreUnavailable(problem) : undefined)
    if (state !== "ready" && !refusal) return
    for (const { resolve, reject } of this.#waiting)
      if (refusal) reject(refusal)
      else resolve()
    this.#waiting.clear()
  }
}
