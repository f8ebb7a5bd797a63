import { dsnFromString, dsnToString, getEnvelopeEndpointWithUrlEncodedAuth } from "@sentry/core"

/** The time after which an ingest endpoint counts as dead; Relay's own upstream timeout. */
const TIMEOUT_MS = 5_000
/** How long a dead endpoint is left alone, so that pages are answered at once meanwhile. */
const REST_MS = 5_000
/** How a connection ends that was kept open for the next request, and that the endpoint closed as it came. */
const BROKEN: ReadonlySet<unknown> = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"])

/** What of Sentry's answer reaches the page: by these the page's transport knows when to hold back. */
const ANSWERED_HEADERS = ["x-sentry-rate-limits", "retry-after"]
/** Printable, and long enough for a limit of every category. */
const ANSWERED_VALUE = /^[\u0020-\u007e]{1,2048}$/

/** The answer to the page: status and rate limits, nothing else of what the upstream said. */
export interface IngestAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Why the envelope did not arrive, `undefined` when it did. */
  readonly failure: "network_error" | "send_error" | "ratelimit_backoff" | undefined
}

interface IngestOptions {
  readonly fetch?: typeof globalThis.fetch
  readonly now?: () => number
  readonly timeoutMs?: number
}

/**
 * The ingest endpoint of a configured DSN. Nothing of a request enters its URL, no redirect is followed, and the body of
 * an answer is not read. What a connection breaks under is sent again, once: it may have been an old one. Of what had arrived
 * Sentry knows a repeated event by its id; a client report may count twice. An endpoint that does not answer is left alone
 * for a while: envelopes are refused at once, and counted.
 */
export class SentryIngest {
  readonly #dsns: ReadonlySet<string>
  readonly #endpoint: string | undefined
  readonly #options: IngestOptions
  #deadUntil = 0

  constructor(dsn: string, options: IngestOptions = {}) {
    const components = dsnFromString(dsn)
    this.#options = options
    this.#endpoint = components === undefined ? undefined : getEnvelopeEndpointWithUrlEncodedAuth(components)
    // As configured, and as the Sentry client of a page writes it: without an old DSN's secret key.
    this.#dsns = new Set(components === undefined ? [dsn] : [dsn, dsnToString(components)])
  }

  /** Whether an envelope names this DSN, as a whole. */
  isFor(dsn: unknown): boolean {
    return typeof dsn === "string" && this.#dsns.has(dsn)
  }

  async post(body: Uint8Array): Promise<IngestAnswer> {
    const now = this.#options.now ?? Date.now
    const endpoint = this.#endpoint
    if (endpoint === undefined) return { status: 500, headers: {}, failure: "send_error" }
    const restMs = this.#deadUntil - now()
    if (restMs > 0) return unreachable(503, restMs)
    const signal = AbortSignal.timeout(this.#options.timeoutMs ?? TIMEOUT_MS)
    const send = () => this.#send(endpoint, body, signal)
    try {
      return await send().catch((error: unknown) => (isBroken(error) ? send() : Promise.reject(error)))
    } catch (error) {
      this.#deadUntil = now() + REST_MS
      const isTimeout = error instanceof DOMException && error.name === "TimeoutError"
      return unreachable(isTimeout ? 504 : 502, REST_MS)
    }
  }

  async #send(endpoint: string, body: Uint8Array, signal: AbortSignal): Promise<IngestAnswer> {
    const response = await (this.#options.fetch ?? fetch)(endpoint, {
      method: "POST",
      body: body as Uint8Array<ArrayBuffer>,
      headers: { "content-type": "application/x-sentry-envelope" },
      redirect: "manual",
      cache: "no-store",
      signal,
    })
    // An upstream that breaks off here has answered all the same.
    void response.body?.cancel().catch(() => undefined)
    const { status } = response
    if (status >= 300 && status < 400) return { status: 502, headers: {}, failure: "send_error" }
    return { status, headers: answeredHeaders(response), failure: failureOf(status) }
  }
}

function isBroken(error: unknown): boolean {
  return error instanceof TypeError && BROKEN.has((error.cause as { code?: unknown } | undefined)?.code)
}

/** 413 is counted by every Sentry client itself, by that status. */
function failureOf(status: number): IngestAnswer["failure"] {
  if (status < 400 || status === 413) return undefined
  return status === 429 ? "ratelimit_backoff" : "send_error"
}

function unreachable(status: number, restMs: number): IngestAnswer {
  return { status, headers: { "retry-after": String(Math.ceil(restMs / 1_000)) }, failure: "network_error" }
}

function answeredHeaders(response: Response): Record<string, string> {
  const entries = ANSWERED_HEADERS.map((name) => [name, response.headers.get(name)] as const)
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => entry[1] !== null && ANSWERED_VALUE.test(entry[1])),
  )
}
