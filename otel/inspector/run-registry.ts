import { nanoseconds } from "../protocol/records/time.ts"
import { type Run, RUN_LIMIT, RUN_NAME, runFilter } from "./queries/list/run.ts"
import { type FilterTree, parseFilter } from "./search/index.ts"
import type { Store } from "./store/store.ts"

/** Why a run cannot be retained, in one sentence. */
class RunRefused extends Error {
  override readonly name = "RunRefused"
}

/** The retained runs, held in memory so that the filter language resolves `run:` without a query. */
export class RunRegistry {
  #runs: readonly Run[] = []
  readonly #trees = new Map<string, FilterTree>()

  constructor(private readonly store: Store) {
    const load = (): void => {
      if (store.state === "ready") void this.refresh().catch(() => undefined) // the next refresh tries again
    }
    store.onStateChange(load)
    load()
  }

  get runs(): readonly Run[] {
    return this.#runs
  }

  /** The filter that `run:` with this name means. */
  readonly lookup = (name: string): FilterTree | undefined => this.#trees.get(name)

  /** Reads the runs from the store, which another process may share. */
  async refresh(): Promise<readonly Run[]> {
    this.#runs = await this.store.listRuns()
    this.#trees.clear()
    for (const run of this.#runs) this.#trees.set(run.name, runFilter(run))
    return this.#runs
  }

  /** @throws {RunRefused} */
  async retain(run: Run): Promise<void> {
    if (!RUN_NAME.test(run.name))
      throw new RunRefused(
        "A run's name has 1 to 100 letters, digits and . _ : / @ + -, and begins with a letter or digit.",
      )
    const { problem } = parseFilter(run.filter)
    if (problem !== undefined) throw new RunRefused(`The run's filter is invalid: ${problem.message}.`)
    if (run.until !== undefined && run.until <= run.since) throw new RunRefused("The run ends before it begins.")
    const known = await this.refresh()
    if (known.length >= RUN_LIMIT && !known.some(({ name }) => name === run.name))
      throw new RunRefused(`The inspector retains at most ${RUN_LIMIT} runs: remove one first.`)
    await this.store.retainRun(run)
    await this.refresh()
  }

  /** Returns false when no run has the name. */
  async remove(name: string): Promise<boolean> {
    const run = (await this.refresh()).find((known) => known.name === name)
    if (run === undefined) return false
    await this.store.removeRun(run)
    await this.refresh()
    return true
  }

  /**
   * Ends a run that has no end yet. Returns false when no run has the name.
   *
   * @param nowMs milliseconds since the epoch.
   */
  async end(name: string, nowMs: number): Promise<boolean> {
    const run = (await this.refresh()).find((known) => known.name === name)
    if (run === undefined) return false
    const until = nanoseconds(BigInt(nowMs) * 1_000_000n)
    if (run.until === undefined) await this.retain({ ...run, until })
    return true
  }
}
