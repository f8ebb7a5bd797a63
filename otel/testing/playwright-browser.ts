import type { Browser, CDPSession } from "@playwright/test"
import { mayPropagate } from "../protocol/transport/undici-request.ts"
import { type ActiveAttempt, endRequest, type OpenStep, startRequest } from "./active-attempt.ts"
import { traceparent } from "./trace-ids.ts"

/** A test and the origins to which its trace may go, besides loopback. */
export interface TracedTest {
  readonly attempt: ActiveAttempt
  readonly origins: ReadonlySet<string>
  readonly baseUrl: string | undefined
}

/** `Fetch.requestPaused` of the Chrome DevTools Protocol. */
interface PausedRequest {
  readonly requestId: string
  readonly networkId?: string
  readonly resourceType: string
  readonly request: {
    readonly url: string
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
  }
  readonly responseStatusCode?: number
  readonly responseErrorReason?: string
}

/** Loopback in the patterns of `Fetch.enable`, in which `*` is any text. What they match is checked again. */
const LOOPBACK_PATTERNS = ["localhost", "*.localhost", "127.*", "[[]::1]"].flatMap((host) =>
  ["http", "https"].flatMap((scheme) => [`${scheme}://${host}/*`, `${scheme}://${host}:*`]),
)
const RESOURCE_TYPES = ["Document", "XHR", "Fetch"]

/**
 * Propagates the trace of the running test in all pages of a worker's browser: those of every context, and those that the app
 * opens. Adds `traceparent` to documents from an allowed origin, and to requests of a page to its own origin which have none.
 *
 * Through the DevTools protocol, because a route of Playwright's would turn the browser's cache off, and its extra headers would
 * reach other origins. One session serves the whole browser, because to start interception in each page costs more CPU time than to
 * intercept. Other browsers than Chromium have no such protocol: nothing is added there.
 */
export class BrowserTracing {
  #test: TracedTest | undefined
  #session: CDPSession | undefined
  readonly #intercepted = new Set<string>()
  readonly #open = new Map<string, OpenStep>()

  /** @param test that runs from now on, with its trace in what pages send. `undefined` for none. */
  async setTest(test: TracedTest | undefined): Promise<void> {
    this.#test = test
    this.#open.clear()
    await this.#intercept()
  }

  async setBrowser(browser: Browser): Promise<void> {
    try {
      const session = await browser.newBrowserCDPSession()
      session.on("Fetch.requestPaused", (paused: PausedRequest) => {
        // A page that was closed meanwhile needs no answer.
        void this.#answer(session, paused).catch(() => undefined)
      })
      this.#session = session
      this.#intercepted.clear()
      await this.#intercept()
    } catch {
      // Not Chromium: pages begin traces of their own.
    }
  }

  /** Widens the interception to the origins of the test. */
  async #intercept(): Promise<void> {
    if (this.#session === undefined || this.#test === undefined) return
    const urls = [...LOOPBACK_PATTERNS, ...[...this.#test.origins].map((origin) => `${origin}/*`)]
    if (urls.every((url) => this.#intercepted.has(url))) return
    for (const url of urls) this.#intercepted.add(url)
    const patterns = [...this.#intercepted].flatMap((urlPattern) =>
      RESOURCE_TYPES.map((resourceType) => ({ urlPattern, resourceType })),
    )
    // A browser that was closed intercepts nothing.
    await this.#session.send("Fetch.enable", { patterns: patterns as { urlPattern: string }[] }).catch(() => undefined)
  }

  async #answer(session: CDPSession, paused: PausedRequest): Promise<void> {
    const { requestId, networkId = requestId, request, responseStatusCode, responseErrorReason } = paused
    if (responseStatusCode !== undefined || responseErrorReason !== undefined) {
      const step = this.#open.get(networkId)
      this.#open.delete(networkId)
      const error =
        responseErrorReason === undefined ? undefined : { name: responseErrorReason, message: responseErrorReason }
      if (step !== undefined) endRequest(step, { status: responseStatusCode, error })
      await session.send("Fetch.continueRequest", { requestId })
      return
    }
    const test = this.#test
    if (test === undefined || !isTraced(paused, test.origins)) {
      await session.send("Fetch.continueRequest", { requestId })
      return
    }
    const { traceId } = test.attempt
    const step = startRequest(test.attempt, request.method, new URL(request.url))
    this.#open.set(networkId, step)
    const headers = Object.entries({ ...request.headers, traceparent: traceparent(traceId, step.spanId) })
    await session.send("Fetch.continueRequest", {
      requestId,
      headers: headers.map(([name, value]) => ({ name, value })),
      interceptResponse: true,
    })
  }
}

function isTraced({ request, resourceType }: PausedRequest, origins: ReadonlySet<string>): boolean {
  const headers = new Map(Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]))
  if (headers.has("traceparent") || !mayPropagate(request.url, origins)) return false
  if (resourceType === "Document") return true
  // A header on a request to another origin would cause a preflight.
  const referer = headers.get("referer") ?? ""
  return URL.canParse(referer) && new URL(referer).origin === new URL(request.url).origin
}
