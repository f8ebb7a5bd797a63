/** Asked this often within the limit. A process that is only slow answers one of them. */
const ASKED = 6

/**
 * Tells a process that hangs from one that is idle: it is asked at intervals, and when no answer has come for the limit,
 * `hangs` is called once. Time in which this process itself did not run does not count: it asks again first.
 */
export class Heartbeat {
  readonly #timer: NodeJS.Timeout
  #unanswered = 0

  constructor(limitMs: number, ask: () => void, hangs: () => void) {
    this.#timer = setInterval(() => {
      if (this.#unanswered === ASKED) {
        this.stop()
        return hangs()
      }
      this.#unanswered += 1
      ask()
    }, limitMs / ASKED)
    this.#timer.unref()
  }

  answered(): void {
    this.#unanswered = 0
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
