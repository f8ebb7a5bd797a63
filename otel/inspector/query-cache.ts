import { QueryCancelled } from "./store/failure.ts"

/** Answers that are kept at least this long. */
const LEAST_MS = 3_000
/** A costly answer is kept this many times as long as it took, so that asking takes a tenth of the time at most. */
const TIMES_ITS_COST = 10
/** No answer is kept longer: what is read again 8 s after the last arrival has all that came. */
const MOST_MS = 6_000
const ANSWER_LIMIT = 200

interface Answer {
  readonly value: Promise<unknown>
  /** Ends the asking; nothing once it is answered. */
  readonly stop: AbortController
  /** How many wait for it. */
  askers: number
  until: number
}

/**
 * Answers about many traces, kept for a while: a page that reads itself again while traces arrive asks for the same
 * ones every few seconds. A failure is not kept. What all who asked for it have left is asked no further.
 */
export class QueryCache {
  readonly #answers = new Map<string, Answer>()

  constructor(private readonly now: () => number = Date.now) {}

  /**
   * @param ask gets a signal that aborts when nobody waits for the answer any more.
   * @param left aborts when this asker leaves; without it, it never does.
   * @throws {QueryCancelled} when this asker has left.
   */
  async get<T>(key: string, ask: (left: AbortSignal) => Promise<T>, left?: AbortSignal): Promise<T> {
    const known = this.#answers.get(key)
    const answer = known !== undefined && this.now() < known.until ? known : this.#ask(key, ask)
    return (await this.#waitFor(answer, left)) as T
  }

  #ask<T>(key: string, ask: (left: AbortSignal) => Promise<T>): Answer {
    const stop = new AbortController()
    const started = this.now()
    const answer: Answer = { value: ask(stop.signal), stop, askers: 0, until: Number.POSITIVE_INFINITY }
    this.#keep(key, answer)
    const forget = () => {
      if (this.#answers.get(key) === answer) this.#answers.delete(key)
    }
    stop.signal.addEventListener("abort", forget, { once: true })
    const age = () => {
      answer.until = this.now() + Math.min(MOST_MS, Math.max(LEAST_MS, TIMES_ITS_COST * (this.now() - started)))
    }
    answer.value.then(age, forget)
    return answer
  }

  async #waitFor(answer: Answer, left: AbortSignal | undefined): Promise<unknown> {
    answer.askers += 1
    if (left === undefined) return answer.value
    const settled = new AbortController()
    const gone = new Promise<never>((_, reject) => {
      const leave = () => {
        answer.askers -= 1
        if (answer.askers === 0) answer.stop.abort()
        reject(new QueryCancelled("The asker has left."))
      }
      if (left.aborted) leave()
      else left.addEventListener("abort", leave, { once: true, signal: settled.signal })
    })
    try {
      return await Promise.race([answer.value, gone])
    } finally {
      settled.abort()
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
