import { safely } from "../../protocol/safely.ts"
import type { RootSpan } from "./roots/page-root.ts"
import { ATTR_SESSION_ID } from "./semconv.ts"
import { SESSION_KEY } from "./stored-data.ts"

/** A session lasts four hours at most, and ends 15 minutes after the last page: the values of Faro, Datadog and Splunk. */
export const SESSION_LIMIT_MS = 4 * 60 * 60 * 1_000
export const SESSION_IDLE_MS = 15 * 60 * 1_000

interface Session {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly usedAt: number
}

interface SessionOptions {
  /** May throw or return nothing: then the session lives as long as the document. */
  storage(): Storage | undefined
  now(): number
  /** Returns 128 random bits in hexadecimal; `undefined` where the browser has no cryptographic random numbers. */
  randomId(): string | undefined
}

/**
 * The visitor's session: a random id that says nothing about the visitor. The tabs of an origin share it. It is renewed after
 * four hours, and after 15 minutes without a page.
 */
export class VisitorSession {
  readonly #options: SessionOptions
  #session: Session | undefined

  constructor(options: SessionOptions) {
    this.#options = options
  }

  /** Returns the id of the session and extends it. */
  id(): string | undefined {
    const now = this.#options.now()
    const known = this.#stored() ?? this.#session
    const isAlive =
      known !== undefined && now - known.startedAt < SESSION_LIMIT_MS && now - known.usedAt < SESSION_IDLE_MS
    const id = isAlive ? known.id : this.#options.randomId()
    if (id === undefined) return undefined
    // Where storage is missing, forbidden or full, the session lives in this document. A stored one ends when it is deleted.
    this.#session = { id, startedAt: isAlive ? known.startedAt : now, usedAt: now }
    safely(() => {
      const storage = this.#options.storage() as Storage
      storage.setItem(SESSION_KEY, JSON.stringify(this.#session))
      this.#session = undefined
    })
    return id
  }

  /** The session in storage. Storage may be forbidden, or hold what other code wrote. */
  #stored(): Session | undefined {
    return safely(() => parseSession(this.#options.storage()?.getItem(SESSION_KEY)))
  }
}

function parseSession(text: string | null | undefined): Session | undefined {
  const { id, startedAt, usedAt } = JSON.parse(text ?? "{}") as Partial<Record<keyof Session, unknown>>
  if (typeof id !== "string" || !/^[0-9a-f]{32}$/.test(id)) return undefined
  return typeof startedAt === "number" && typeof usedAt === "number" ? { id, startedAt, usedAt } : undefined
}

/** 128 bits that nobody can guess. Without a source of such numbers there is no session: an id of Math.random() may be another visitor's. */
export function randomSessionId(): string | undefined {
  return safely(() =>
    Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join(""),
  )
}

/** Puts the id of the session on roots. */
export interface RootSession {
  /** The id for a root that begins. `undefined` until the page is idle. */
  id(): string | undefined
  /** Adds the id to a root without one: to the open root once the page is idle, and to a root that ends before that. */
  identify(root: { readonly span: RootSpan } | undefined): void
}

/**
 * Reads no session while the page starts: at the first access to `localStorage` of a document the main thread waits for the
 * browser's process. That was half of the start's time.
 */
export function rootSession(
  signal: AbortSignal,
  session = new VisitorSession({ storage: () => window.localStorage, now: Date.now, randomId: randomSessionId }),
): RootSession {
  let isRead = false
  return {
    id: () => (isRead ? session.id() : undefined),
    identify(root) {
      if (signal.aborted) return
      isRead = true
      if (root === undefined || ATTR_SESSION_ID in root.span.attributes) return
      const id = session.id()
      if (id !== undefined) root.span.setAttribute(ATTR_SESSION_ID, id)
    },
  }
}
