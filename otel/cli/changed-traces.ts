/** Traces that wait at most. Each has an id of 32 characters. */
const TRACE_LIMIT = 10_000
/** How often a trace is looked for: a minute, where it is looked for every half second. */
const ATTEMPT_LIMIT = 120

/** Traces that the live feed has named and that are not printed yet. Bounded in number, and each in attempts to read it. */
export class ChangedTraces implements Iterable<string> {
  readonly #attempts = new Map<string, number>()
  #lost = 0

  add(traceId: string): void {
    this.#attempts.set(traceId, 0)
    const [oldest] = this.#attempts.keys()
    if (this.#attempts.size > TRACE_LIMIT && oldest !== undefined) this.#lose(oldest)
  }

  [Symbol.iterator](): Iterator<string> {
    return this.#attempts.keys()
  }

  printed(traceId: string): void {
    this.#attempts.delete(traceId)
  }

  /** It is not stored yet. */
  missing(traceId: string): void {
    const attempts = (this.#attempts.get(traceId) ?? 0) + 1
    if (attempts < ATTEMPT_LIMIT) this.#attempts.set(traceId, attempts)
    else this.#lose(traceId)
  }

  /** How many were given up since the last call. */
  takeLost(): number {
    const lost = this.#lost
    this.#lost = 0
    return lost
  }

  #lose(traceId: string): void {
    this.#attempts.delete(traceId)
    this.#lost++
  }
}
