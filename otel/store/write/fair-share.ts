import { setImmediate } from "node:timers/promises"

/** At least this long at a time, in milliseconds; and at most, however busy the others are: requests wait meanwhile. */
const SHORTEST_MS = 2
const LONGEST_MS = 25

/**
 * For long work beside which requests are answered: each time its turn has lasted as long as the others took before, it
 * lets them go on. With a fixed length, a process that is asked for more than it can do would do next to nothing of it.
 */
export class FairShare {
  #turnMs = SHORTEST_MS
  #since: number

  /** @param clock milliseconds. Default `performance.now`. */
  constructor(private readonly clock: () => number = () => performance.now()) {
    this.#since = clock()
  }

  /** Whether it is the others' turn. */
  get isOver(): boolean {
    return this.clock() - this.#since >= this.#turnMs
  }

  async letOthers(): Promise<void> {
    const start = this.clock()
    await setImmediate()
    this.#since = this.clock()
    this.#turnMs = Math.min(Math.max(this.#since - start, SHORTEST_MS), LONGEST_MS)
  }
}
