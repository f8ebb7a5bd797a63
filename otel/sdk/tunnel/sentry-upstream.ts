import { dsnFromString, dsnToString, getEnvelopeEndpointWithUrlEncodedAuth, SDK_VERSION } from "@sentry/core"

/** Time that an ingest endpoint has for one envelope: the timeout of Relay for its own upstream. */
const TIMEOUT_MS = 5_000
/** Time that an endpoint has for a request without a body, after it did not answer an envelope in time. */
const PROBE_TIMEOUT_MS = 2_000
/** How long an unreachable endpoint is not tried again, in which pages get their response at once. */
const PAUSE_MS = 5_000
/** Error codes of a connection that was not established: no envelope can have caused them. */
const UNREACHABLE: ReadonlySet<unknown> = new Set([
  "EAI_AGAIN",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "UND_ERR_CONNECT_TIMEOUT",
])
/** Error codes of a kept-alive connection that the endpoint closed as the next request began. */
const STALE_CONNECTION: ReadonlySet<unknown> = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"])

/** Whose envelopes these are, by the name that a page's events have: the `User-Agent` of the request is the server's. */
const PAGE_SDK = { name: "sentry.javascript.browser", version: SDK_VERSION }

/** Headers of Sentry's response that reach the page: its transport reads the rate limits from them. */
const FORWARDED_HEADERS = ["x-sentry-rate-limits", "retry-after"]
/**
 * `fetch` is the one that Next has patched. By `internal`, its mark for requests that are not the app's, it neither caches them nor logs
 * them in `next dev` (`logging.fetches`).
 */
const INTERNAL_REQUEST = {
  redirect: "manual",
  cache: "no-store",
  next: { internal: true },
} as RequestInit
/** Printable ASCII, and long enough for a rate limit of every category. */
const FORWARDED_VALUE = /^[\u0020-\u007e]{1,2048}$/

/** The response for the page: status and rate limits, and nothing else from the upstream. */
export interface UpstreamResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Why Sentry did not accept the envelope; `undefined` if it did. */
  readonly failure: "network_error" | "send_error" | "ratelimit_backoff" | undefined
}

interface UpstreamOptions {
  readonly fetch?: typeof globalThis.fetch
  /** Milliseconds, by a clock that nobody sets. Default: `performance.now`. */
  readonly now?: () => number
  readonly timeoutMs?: number
}

/**
 * The ingest endpoint of the configured DSN. Its URL depends on nothing in a request; redirects are not followed and
 * response bodies are not read. A request whose connection breaks is sent once more, because the connection may have been a
 * stale one. If the first attempt arrived after all, Sentry deduplicates events by id; a client report may count twice.
 *
 * If no connection can be established, the endpoint is not tried for five seconds: envelopes are refused at once, and
 * counted. An endpoint that resets the connection or answers too late may do so because of one envelope, which must not
 * affect others. Where packets are lost, though, every envelope times out, so a request without a body decides.
 */
export class SentryUpstream {
  readonly #dsns: ReadonlySet<string>
  readonly #endpoint: string | undefined
  readonly #options: UpstreamOptions
  #pausedUntil = 0
  #isProbing = false

  constructor(dsn: string, options: UpstreamOptions = {}) {
    const components = dsnFromString(dsn)
    this.#options = options
    this.#endpoint =
      components === undefined ? undefined : getEnvelopeEndpointWithUrlEncodedAuth(components, undefined, PAGE_SDK)
    // As configured, and as a page's Sentry client writes it: without the secret key of a legacy DSN.
    this.#dsns = new Set(components === undefined ? [dsn] : [dsn, dsnToString(components)])
  }

  /** Whether the DSN in an envelope's header is exactly this one. */
  isFor(dsn: unknown): boolean {
    return typeof dsn === "string" && this.#dsns.has(dsn)
  }

  /** @param encoding the content encoding of the body. */
  async post(body: Uint8Array, encoding: string | undefined): Promise<UpstreamResponse> {
    const endpoint = this.#endpoint
    if (endpoint === undefined) return { status: 500, headers: {}, failure: "send_error" }
    const pauseMs = this.#pausedUntil - this.#now()
    if (pauseMs > 0) return unreachable(503, pauseMs)
    const signal = AbortSignal.timeout(this.#options.timeoutMs ?? TIMEOUT_MS)
    const send = () => this.#send(endpoint, body, encoding, signal)
    try {
      return await send().catch((error: unknown) => (isStaleConnection(error) ? send() : Promise.reject(error)))
    } catch (error) {
      if (UNREACHABLE.has(codeOf(error))) this.#pause()
      if (isTimeout(error)) void this.#probe(endpoint)
      return unreachable(isTimeout(error) ? 504 : 502, PAUSE_MS)
    }
  }

  #now(): number {
    return (this.#options.now ?? (() => performance.now()))()
  }

  #pause(): void {
    this.#pausedUntil = this.#now() + PAUSE_MS
  }

  /** Pauses unless the endpoint answers, with any status. */
  async #probe(endpoint: string): Promise<void> {
    if (this.#isProbing) return
    this.#isProbing = true
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS)
    try {
      await (this.#options.fetch ?? fetch)(endpoint, { ...INTERNAL_REQUEST, method: "HEAD", signal })
    } catch (error) {
      if (isTimeout(error) || UNREACHABLE.has(codeOf(error))) this.#pause()
    } finally {
      this.#isProbing = false
    }
  }

  async #send(
    endpoint: string,
    body: Uint8Array,
    encoding: string | undefined,
    signal: AbortSignal,
  ): Promise<UpstreamResponse> {
    const response = await (this.#options.fetch ?? fetch)(endpoint, {
      ...INTERNAL_REQUEST,
      method: "POST",
      body: body as Uint8Array<ArrayBuffer>,
      headers: {
        "content-type": "application/x-sentry-envelope",
        ...(encoding === undefined ? {} : { "content-encoding": encoding }),
      },
      signal,
    })
    // The status has arrived; an error while the body is cancelled changes nothing.
    void response.body?.cancel().catch(() => undefined)
    const { status } = response
    if (status >= 300 && status < 400) return { status: 502, headers: {}, failure: "send_error" }
    return { status, headers: forwardedHeaders(response), failure: failureOf(status) }
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === "TimeoutError"
}

function isStaleConnection(error: unknown): boolean {
  return STALE_CONNECTION.has(codeOf(error))
}

/** The code of the error that made `fetch` reject. */
function codeOf(error: unknown): unknown {
  return error instanceof TypeError ? (error.cause as { code?: unknown } | undefined)?.code : undefined
}

/** Every Sentry client counts a 413 itself. */
function failureOf(status: number): UpstreamResponse["failure"] {
  if (status < 400 || status === 413) return undefined
  return status === 429 ? "ratelimit_backoff" : "send_error"
}

function unreachable(status: number, pauseMs: number): UpstreamResponse {
  return { status, headers: { "retry-after": String(Math.ceil(pauseMs / 1_000)) }, failure: "network_error" }
}

function forwardedHeaders(response: Response): Record<string, string> {
  const entries = FORWARDED_HEADERS.map((name) => [name, response.headers.get(name)] as const)
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => entry[1] !== null && FORWARDED_VALUE.test(entry[1])),
  )
}
