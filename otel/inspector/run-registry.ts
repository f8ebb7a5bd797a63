import { nanoseconds } from "../protocol/records/time.ts"
import { type Run, RUN_LIMIT, RUN_NAME, runFilter } from "./queries/list/run.ts"
import { type FilterTree, parseFilter } from "./search/index.ts"
import type { Store } from "./store/store.ts"

/** Why a run cannot be kept, in one sentence. */
class RunRefused extends Error {
  override readonly name = "RunRefused"
}

/** The runs that were kept, at hand for whoever reads a filter: `run:` is answered without asking the store. */
export class RunRegistry {
  #runs: readonly Run[] = []
  readonly #trees = new Map<string, FilterTree>()

  constructor(private readonly store: Store) {
    const load = (): void => {
      if (store.state === "ready") void this.refresh().catch(() => undefined) // the next reading tries again
    }
    store.onStateChange(load)
    load()
  }

  get runs(): readonly Run[] {
    return this.#runs
  }

  /** What `run:` with this name stands for. */
  readonly lookup = (name: string): FilterTree | undefined => this.#trees.get(name)

  /** Reads them again: another process may share the store. */
  async refresh(): Promise<readonly Run[]> {
    this.#runs = await this.store.listRuns()
    this.#trees.clear()
    for (const run of this.#runs) this.#trees.set(run.name, runFilter(run))
    return this.#runs
  }

  /** @throws {RunRefused} */
  async keep(run: Run): Promise<void> {
    if (!RUN_NAME.test(run.name))
      throw new RunRefused(
        "A run's name has 1 to 100 letters, digits and . _ : / @ + -, and begins with a letter or digit.",
      )
    const { problem } = parseFilter(run.filter)
    if (problem !== undefined) throw new RunRefused(`The run's filter cannot be read: ${problem.message}.`)
    if (run.until !== undefined && run.until <= run.since) throw new RunRefused("The run ends before it begins.")
    const known = await this.refresh()
    if (known.length >= RUN_LIMIT && !known.some(({ name }) => name === run.name))
      throw new RunRefused(`${RUN_LIMIT} runs are kept, which is the most: remove one first.`)
    await this.store.retainRun(run)
    await this.refresh()
  }

  /** False for a name that is not known. */
  async remove(name: string): Promise<boolean> {
    const run = (await this.refresh()).find((known) => known.name === name)
    if (run === undefined) return false
    await this.store.removeRun(run)
    await this.refresh()
    return true
  }

  /** Ends a run that goes on. False for a name that is not known. */
  async end(name: string, nowMs: number): Promise<boolean> {
    const run = (await this.refresh()).find((known) => known.name === name)
    if (run === undefined) return false
    const until = nanoseconds(BigInt(nowMs) * 1_000_000n)
    if (run.until === undefined) await this.keep({ ...run, until })
    return true
  }
}
