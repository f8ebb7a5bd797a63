export type StoreState = "starting" | "ready" | "down" | "closed"

/** Holds a state and why it is so, and tells who listens. */
export class StateCell {
  #state: StoreState = "starting"
  #problem: string | undefined
  readonly #listeners = new Set<(state: StoreState) => void>()

  get state(): StoreState {
    return this.#state
  }

  get problem(): string | undefined {
    return this.#problem
  }

  set(state: StoreState, problem?: string): void {
    const changed = state !== this.#state
    this.#state = state
    this.#problem = problem
    if (changed) for (const listener of this.#listeners) listener(state)
  }

  onChange(listener: (state: StoreState) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}
