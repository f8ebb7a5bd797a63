/** So long requests are worked on before answers, timers and the way to the store have their turn, in milliseconds. */
const TURN_MS = 10

/**
 * Takes care that requests that came together are not all decoded in one turn of the event loop. Eighty of some
 * milliseconds each would make turns of half a second, and whatever takes many turns, as the way to the store does,
 * would all but stand: what comes is refused then, though there is time for storing what is there.
 */
export class WorkTurns {
  readonly #waiting: (() => void)[] = []
  /** When the turn of those that work is over. */
  #end: number | undefined
  /** Whether one has been let go on of which it is not known how long it takes. */
  #isAtWork = false

  /** Resolves when the caller may work, in the order of the calls: at once while there is time in this turn. */
  async next(): Promise<void> {
    const end = this.#end ?? this.#begin()
    if (this.#isAtWork || this.#waiting.length > 0 || performance.now() >= end)
      return new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#isAtWork = true
    process.nextTick(() => (this.#isAtWork = false))
  }

  #begin(): number {
    setImmediate(() => void this.#turn())
    this.#end = performance.now() + TURN_MS
    return this.#end
  }

  async #turn(): Promise<void> {
    this.#end = undefined
    if (this.#waiting.length === 0) return
    const end = this.#begin()
    do {
      this.#waiting.shift()?.()
      await allThatFollows()
    } while (this.#waiting.length > 0 && performance.now() < end)
  }
}

/** Node calls back when all promises that could go on have done so. */
function allThatFollows(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve))
}
