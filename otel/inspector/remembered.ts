/** Answers that are kept at least this long. */
const LEAST_MS = 3_000
/** A costly answer is kept this many times as long as it took, so that asking takes a tenth of the time at most. */
const TIMES_ITS_COST = 10
/** No answer is kept longer: what is read again 15 s after the last arrival has all that came. */
const MOST_MS = 12_000
const ANSWER_LIMIT = 200

interface Answer {
  readonly value: Promise<unknown>
  until: number
}

/**
 * Answers about many traces, kept for a while: a page that reads itself again while traces arrive asks for the same
 * ones every few seconds. A failure is not kept.
 */
export class Remembered {
  readonly #answers = new Map<string, Answer>()

  constructor(private readonly now: () => number = Date.now) {}

  async get<T>(key: string, ask: () => Promise<T>): Promise<T> {
    const known = this.#answers.get(key)
    if (known !== undefined && this.now() < known.until) return known.value as Promise<T>
    const started = this.now()
    const value = ask()
    const answer: Answer = { value, until: Number.POSITIVE_INFINITY }
    this.#keep(key, answer)
    try {
      const result = await value
      answer.until = this.now() + Math.min(MOST_MS, Math.max(LEAST_MS, TIMES_ITS_COST * (this.now() - started)))
      return result
    } catch (error) {
      if (this.#answers.get(key) === answer) this.#answers.delete(key)
      throw error
    }
  }

  #keep(key: string, answer: Answer): void {
    this.#answers.delete(key)
    this.#answers.set(key, answer)
    if (this.#answers.size <= ANSWER_LIMIT) return
    const [oldest] = this.#answers.keys()
    if (oldest !== undefined) this.#answers.delete(oldest)
  }
}
