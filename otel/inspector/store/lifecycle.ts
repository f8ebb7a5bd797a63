import { setTimeout as delay } from "node:timers/promises"
import type { BackendListener, ClickHouseBackend, Endpoint } from "./clickhouse-backend.ts"
import { type ClickHouse, connect, NoAnswer } from "./clickhouse.ts"
import { asStoreFailure, isStorageFailure, QueryCancelled, StoreUnavailable, whyUnavailable } from "./failure.ts"
import { probeWriting } from "./probe-writing.ts"
import { type Dependencies, StartBackoff } from "./start-backoff.ts"

/** How long a close takes at most, unless its caller has less time. */
const CLOSE_MS = 10_000
/** Least time for the backend to stop. Statements that ran until the limit are cancelled by then. */
const LEAST_STOP_MS = 1_000

/**
 * Takes a store from started to ready and back: connects to the endpoint of its backend, prepares the schema, and does
 * so again after each failure, until it is closed or can never be ready. If only writing fails (a full disk), the store
 * is down, still runs queries, and becomes ready with the next write that succeeds. The embedded engine tests that by
 * itself; on a server the callers' next attempts do, because each may reach another replica.
 */
export class Lifecycle implements BackendListener {
  readonly cell = new StateCell()
  readonly #backend: ClickHouseBackend
  readonly #prepare: (clickhouse: ClickHouse) => Promise<void>
  readonly #backoff: StartBackoff
  #clickhouse: ClickHouse | undefined
  #endpoint: Endpoint | undefined
  #retry: NodeJS.Timeout | undefined
  #impossible: Error | undefined
  readonly #running = new Set<Promise<unknown>>()
  readonly #waiting = new Set<{ resolve: () => void; reject: (error: Error) => void }>()

  /** @param prepare makes the schema. An error that does not mean "unavailable" makes the store impossible. */
  constructor(
    backend: ClickHouseBackend,
    prepare: (clickhouse: ClickHouse) => Promise<void>,
    dependencies: Dependencies,
  ) {
    this.#backend = backend
    this.#prepare = prepare
    this.#backoff = new StartBackoff(dependencies)
    backend.start(this)
  }

  up(endpoint: Endpoint): void {
    this.#endpoint = endpoint
    void this.#attempt(endpoint)
  }

  down(reason: string): void {
    this.#endpoint = undefined
    this.#disconnect(reason)
  }

  impossible(reason: string): void {
    this.#impossible = new Error(reason)
    this.#disconnect(reason)
    this.#settle()
    void this.#backend.stop()
  }

  /**
   * @param signal cancels the queries in ClickHouse.
   * @throws {StoreUnavailable} when the store is not connected, or ClickHouse turns out to be unavailable.
   * @throws {QueryCancelled} when `signal` aborts.
   */
  async read<Answer>(work: (clickhouse: ClickHouse) => Promise<Answer>, signal?: AbortSignal): Promise<Answer> {
    const clickhouse = this.#clickhouse
    if (!clickhouse) throw new StoreUnavailable(this.cell.problem ?? `The store is ${this.cell.state}.`)
    const answer = work(signal === undefined ? clickhouse : clickhouse.withSignal(signal))
    this.#running.add(answer)
    try {
      return await answer
    } catch (error) {
      if (signal?.aborted) throw new QueryCancelled("The caller disconnected.", { cause: error })
      if (error instanceof NoAnswer && clickhouse === this.#clickhouse) this.#reconnect(error)
      throw asStoreFailure(error)
    } finally {
      this.#running.delete(answer)
    }
  }

  /** @throws {StoreUnavailable} when the store cannot write, or ClickHouse turns out to be unavailable. */
  write(work: (clickhouse: ClickHouse) => Promise<void>): Promise<void> {
    return this.read(async (clickhouse) => {
      const { embedded } = clickhouse.endpoint
      if (embedded && this.cell.state !== "ready") throw new StoreUnavailable(this.cell.problem)
      try {
        await work(clickhouse)
      } catch (error) {
        if (isStorageFailure(error) && clickhouse === this.#clickhouse && (this.cell.state === "ready" || !embedded))
          this.#stopWriting(clickhouse, error)
        throw error
      }
      if (!embedded && this.cell.state === "down" && clickhouse === this.#clickhouse) this.#becomeReady()
    })
  }

  ready(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.add({ resolve, reject })
      this.#settle()
    })
  }

  /**
   * Accepts no new work, waits for running statements, and stops the backend, all within the limit. The backend has at least a second.
   */
  async close(limitMs = CLOSE_MS): Promise<void> {
    if (this.cell.state === "closed") return
    const deadline = performance.now() + limitMs
    const clickhouse = this.#clickhouse
    clearTimeout(this.#retry)
    this.#clickhouse = undefined
    this.#endpoint = undefined
    this.cell.set("closed", "The store is closed.")
    this.#settle()
    await Promise.race([Promise.allSettled(this.#running), delay(limitMs, undefined, { ref: false })])
    await clickhouse?.close()
    await this.#backend.stop(Math.max(LEAST_STOP_MS, deadline - performance.now()))
  }

  async #attempt(endpoint: Endpoint): Promise<void> {
    let clickhouse: ClickHouse | undefined
    try {
      clickhouse = connect(endpoint)
      await this.#prepare(clickhouse)
    } catch (error) {
      await clickhouse?.close()
      if (endpoint === this.#endpoint) this.#attemptFailed(error)
      return
    }
    if (endpoint !== this.#endpoint || this.cell.state === "closed") return clickhouse.close()
    this.#clickhouse = clickhouse
    this.#becomeReady()
  }

  #attemptFailed(error: unknown): void {
    const why = whyUnavailable(error)
    if (why === undefined) this.impossible(error instanceof Error ? error.message : String(error))
    else this.#reconnect(error)
  }

  #becomeReady(): void {
    this.#backoff.succeeded()
    this.cell.set("ready")
    this.#settle()
  }

  #reconnect(error: unknown): void {
    this.#disconnect(whyUnavailable(error) ?? "ClickHouse fails.")
    const endpoint = this.#endpoint
    if (endpoint) this.#retry = setTimeout(() => void this.#attempt(endpoint), this.#backoff.failed())
  }

  /** Stays connected for queries, and tests after a while whether the embedded engine can write again. */
  #stopWriting(clickhouse: ClickHouse, error: unknown): void {
    clearTimeout(this.#retry)
    this.cell.set("down", whyUnavailable(error) ?? "ClickHouse fails to write.")
    if (!clickhouse.endpoint.embedded) return
    this.#retry = setTimeout(() => void this.#probe(clickhouse), this.#backoff.failed())
  }

  async #probe(clickhouse: ClickHouse): Promise<void> {
    try {
      await probeWriting(clickhouse)
    } catch (error) {
      if (clickhouse !== this.#clickhouse) return
      if (error instanceof NoAnswer) this.#reconnect(error)
      else this.#stopWriting(clickhouse, error)
      return
    }
    if (clickhouse === this.#clickhouse) this.#becomeReady()
  }

  #disconnect(reason: string): void {
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

export type StoreState = "starting" | "ready" | "down" | "closed"

/** A state, the reason for it, and listeners for its changes. */
export class StateCell {
  #state: StoreState = "starting"
  #problem: string | undefined
  readonly #listeners = new Set<(state: StoreState) => void>()

  get state(): StoreState {
    return this.#state
  }

  /** Why the store is in this state, in one line; `undefined` while it is ready. */
  get problem(): string | undefined {
    return this.#problem
  }

  set(state: StoreState, problem?: string): void {
    const changed = state !== this.#state
    this.#state = state
    this.#problem = problem
    if (changed) for (const listener of this.#listeners) listener(state)
  }

  /** Returns a function that removes the listener. */
  onChange(listener: (state: StoreState) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}
