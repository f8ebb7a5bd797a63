/** The longest that a session lasts, and how long it outlives the visitor's last page: the values of Faro, Datadog and Splunk. */
export const SESSION_LIMIT_MS = 4 * 60 * 60 * 1_000
export const SESSION_IDLE_MS = 15 * 60 * 1_000
export const SESSION_KEY = "pagespan.session"

interface Session {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly usedAt: number
}

interface SessionOptions {
  /** May throw or be missing: then the session lives as long as the document. */
  storage(): Storage | undefined
  now(): number
  /** 128 bits that nobody can guess, as hexadecimal; `undefined` where the browser has no source of such. */
  randomId(): string | undefined
}

/**
 * The visitor's session: a random id and nothing about the visitor, shared by the tabs of an origin, renewed after
 * four hours, or fifteen minutes without a page.
 */
export class VisitorSession {
  readonly #options: SessionOptions
  #session: Session | undefined

  constructor(options: SessionOptions) {
    this.#options = options
  }

  /** The id at this moment, which counts as use. */
  id(): string | undefined {
    const now = this.#options.now()
    const known = this.#stored() ?? this.#session
    const isAlive =
      known !== undefined && now - known.startedAt < SESSION_LIMIT_MS && now - known.usedAt < SESSION_IDLE_MS
    const id = isAlive ? known.id : this.#options.randomId()
    if (id === undefined) return undefined
    this.#session = { id, startedAt: isAlive ? known.startedAt : now, usedAt: now }
    this.#store(JSON.stringify(this.#session))
    return id
  }

  /** The visitor wants no session: nothing of it is left. */
  forget(): void {
    this.#session = undefined
    this.#store(undefined)
  }

  #stored(): Session | undefined {
    try {
      return parseSession(this.#options.storage()?.getItem(SESSION_KEY))
    } catch {
      // Storage is forbidden here, or holds what somebody else wrote.
      return undefined
    }
  }

  #store(text: string | undefined): void {
    try {
      const storage = this.#options.storage()
      if (text === undefined) storage?.removeItem(SESSION_KEY)
      else storage?.setItem(SESSION_KEY, text)
    } catch {
      // Forbidden or full: the session lives in this document.
    }
  }
}

function parseSession(text: string | null | undefined): Session | undefined {
  const { id, startedAt, usedAt } = JSON.parse(text ?? "{}") as Partial<Record<keyof Session, unknown>>
  if (typeof id !== "string" || !/^[0-9a-f]{32}$/.test(id)) return undefined
  return typeof startedAt === "number" && typeof usedAt === "number" ? { id, startedAt, usedAt } : undefined
}

export function randomSessionId(): string | undefined {
  try {
    return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")
  } catch {
    // No source of random numbers that nobody can guess: no session, rather than one that is a visitor's by accident.
    return undefined
  }
}
