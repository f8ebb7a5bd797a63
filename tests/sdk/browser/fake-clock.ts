import type { Clock } from "#otel/sdk/browser/clock.ts"

interface Timer {
  readonly at: number
  readonly callback: () => void
}

/** A clock that moves only when the test moves it. */
export class FakeClock implements Clock {
  readonly #timers = new Map<number, Timer>()
  #now = 1_000_000
  #next = 1

  now(): number {
    return this.#now
  }

  setTimeout(callback: () => void, delayMs: number): number {
    this.#timers.set(this.#next, { at: this.#now + delayMs, callback })
    return this.#next++
  }

  clearTimeout(timer: number | undefined): void {
    if (timer !== undefined) this.#timers.delete(timer)
  }

  get pendingTimers(): number {
    return this.#timers.size
  }

  /** Moves the clock and runs the due timers in order. */
  advance(milliseconds: number): void {
    const until = this.#now + milliseconds
    for (;;) {
      const due = [...this.#timers].filter(([, { at }]) => at <= until).sort(([, a], [, b]) => a.at - b.at)[0]
      if (due === undefined) break
      this.#timers.delete(due[0])
      this.#now = Math.max(this.#now, due[1].at)
      due[1].callback()
    }
    this.#now = until
  }
}
