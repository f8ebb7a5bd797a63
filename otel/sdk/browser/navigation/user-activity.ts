import { epochTime } from "../clock.ts"
import type { Clock } from "../roots/idle-rule.ts"

/** A history event this old belongs to something else. */
const RECENT_MS = 1_000

/** The part of the Navigation API that is used; Firefox got it in 147, Safari in 26.2. */
interface NavigationApi extends EventTarget {
  readonly currentEntry: object | null
}

/** When the visitor last did something, and when the browser's history last moved. Listens only. */
export class UserActivity {
  readonly #clock: Clock
  #lastInputAt = -Infinity
  #movedAt = -Infinity
  #move = "push"

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock
    const options = { signal, capture: true, passive: true }
    const input = (event: Event) => (this.#lastInputAt = atOf(event))
    window.addEventListener("click", input, options)
    window.addEventListener("keydown", input, options)
    window.addEventListener("popstate", (event) => this.#moved("traverse", atOf(event)), options)
    const { navigation } = window as { navigation?: NavigationApi }
    navigation?.addEventListener?.(
      "currententrychange",
      (event) => this.#moved((event as { navigationType?: string | null }).navigationType ?? "replace", atOf(event)),
      { signal },
    )
  }

  /** Milliseconds since the epoch. */
  get lastInputAt(): number {
    return this.#lastInputAt
  }

  /** When the history moved, if just now; else now. */
  historyMovedAt(): number {
    const now = this.#clock.now()
    return now - this.#movedAt < RECENT_MS ? this.#movedAt : now
  }

  /** How the history moved last: `push`, `replace` or `traverse`. */
  historyMove(): string {
    return this.#move
  }

  #moved(how: string, at: number): void {
    this.#movedAt = at
    this.#move = how
  }
}

function atOf(event: Event): number {
  return epochTime(event.timeStamp)
}
