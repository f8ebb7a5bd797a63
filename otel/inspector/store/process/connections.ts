import type { Session } from "chdb"

/** More waiting statements than this are refused: each holds its SQL, and an insert's body, in memory. */
const WAITING_LIMIT = 256

export class TooManyStatements extends Error {
  override readonly name = "TooManyStatements"
}

/**
 * Hands out connections, one statement at a time each: chDB runs one statement per connection and would otherwise
 * hold a thread of the pool for every waiting one.
 */
export class Connections {
  readonly #idle: Session[]
  readonly #waiting: ((session: Session) => void)[] = []

  constructor(sessions: readonly Session[]) {
    this.#idle = [...sessions]
  }

  /** @throws {TooManyStatements} when the queue is full. */
  async take(): Promise<Session> {
    const session = this.#idle.pop()
    if (session) return session
    if (this.#waiting.length >= WAITING_LIMIT) throw new TooManyStatements(`${WAITING_LIMIT} statements are waiting`)
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  give(session: Session): void {
    const next = this.#waiting.shift()
    if (next) next(session)
    else this.#idle.push(session)
  }
}
