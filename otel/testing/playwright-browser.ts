import type { Browser, BrowserContext, CDPSession, Request } from "@playwright/test"
import { TUNNEL_HEADER } from "../protocol/transport/tunnel-header.ts"
import { mayPropagate } from "../protocol/transport/undici-request.ts"
import {
  type ActiveAttempt,
  endRequest,
  type OpenStep,
  removeStep,
  type RequestResult,
  startRequest,
} from "./active-attempt.ts"
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
  readonly resourceType: string
  readonly request: {
    readonly url: string
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
  }
}

/** A request that waits for its response. */
interface OpenRequest {
  readonly step: OpenStep
  readonly method: string
  readonly url: string
  readonly traceparent: string
}

/** Loopback in the patterns of `Fetch.enable`, in which `*` is any text. What they match is checked again. */
const LOOPBACK_PATTERNS = ["localhost", "*.localhost", "127.*", "[::1]"].flatMap((host) =>
  ["http", "https"].flatMap((scheme) => [`${scheme}://${host}/*`, `${scheme}://${host}:*`]),
)
const REQUEST_TYPES = ["XHR", "Fetch"]
/** Tunnels that a worker remembers. */
const TUNNEL_LIMIT = 1_000

/**
 * Propagates the trace of the running test in all pages of a worker's browser: those of every context, and those that the app
 * opens. Adds `traceparent` to documents from an allowed origin, and to requests of a page to its own origin which have none.
 *
 * Through the DevTools protocol, because a route of Playwright's would turn the browser's cache off, and its extra headers would
 * reach other origins. One session serves the whole browser, because to start interception in each page costs more CPU time than to
 * intercept. Other browsers than Chromium have no such protocol: nothing is added there.
 *
 * Only requests are intercepted. To pause their responses too costs a test of one page and one request 20 ms, and Playwright
 * reports them anyway. Where pages have Pagespan's tracer, which propagates the trace itself, only what it delivers would be
 * paused: from its first delivery on, the test's requests to that origin are not.
 */
export class BrowserTracing {
  #test: TracedTest | undefined
  #browser: Browser | undefined
  #session: CDPSession | undefined
  /** What is intercepted, as JSON. */
  #patterns = ""
  /** Of the documents that the browser has loaded. */
  readonly #origins = new Set<string>()
  /** Those whose pages have delivered during this test. */
  readonly #selfTraced = new Set<string>()
  /** Addresses that answered as tunnels do. What a page sends there is no request of a test, even if it is aborted. */
  readonly #tunnels = new Set<string>()
  readonly #open = new Set<OpenRequest>()
  /** Contexts whose responses are read. */
  readonly #contexts = new WeakSet<BrowserContext>()

  /** @param test that runs from now on, with its trace in what pages send. `undefined` for none. */
  async setTest(test: TracedTest | undefined): Promise<void> {
    this.#test = test
    this.#open.clear()
    this.#selfTraced.clear()
    await this.#intercept()
  }

  async setBrowser(browser: Browser): Promise<void> {
    try {
      const session = await browser.newBrowserCDPSession()
      session.on("Fetch.requestPaused", (paused: PausedRequest) =>
        // Playwright captures the stack at each call. Here it is short, while below the dispatch of the event it is deep: the
        // capture took half of the CPU time of an answer.
        queueMicrotask(() => {
          // A page that was closed meanwhile needs no answer.
          void this.#answer(session, paused).catch(() => undefined)
        }),
      )
      this.#browser = browser
      this.#session = session
      this.#patterns = ""
      await this.#intercept()
    } catch {
      // Not Chromium: pages begin traces of their own.
    }
  }

  /** Intercepts documents of the test's origins, and requests to the origins of documents. */
  async #intercept(): Promise<void> {
    if (this.#session === undefined || this.#test === undefined) return
    const documents = [...LOOPBACK_PATTERNS, ...[...this.#test.origins].map(allOf)]
    const requests = [...this.#origins].filter((origin) => !this.#selfTraced.has(origin)).map(allOf)
    const patterns = [
      ...documents.map((urlPattern) => ({ urlPattern, resourceType: "Document" })),
      ...requests.flatMap((urlPattern) => REQUEST_TYPES.map((resourceType) => ({ urlPattern, resourceType }))),
    ]
    const text = JSON.stringify(patterns)
    if (text === this.#patterns) return
    this.#patterns = text
    // A browser that was closed intercepts nothing.
    await this.#session.send("Fetch.enable", { patterns: patterns as { urlPattern: string }[] }).catch(() => undefined)
  }

  async #answer(session: CDPSession, paused: PausedRequest): Promise<void> {
    const { requestId, resourceType, request } = paused
    const test = this.#test
    if (resourceType === "Document") await this.#addOrigin(request.url)
    const isSelfTraced = resourceType !== "Document" && this.#selfTraced.has(new URL(request.url).origin)
    const isExcluded = isSelfTraced || this.#tunnels.has(request.url)
    if (test === undefined || isExcluded || !isTraced(paused, test.origins)) {
      await session.send("Fetch.continueRequest", { requestId })
      return
    }
    for (const context of this.#browser?.contexts() ?? []) this.#readResponses(context)
    const { url, method } = request
    const step = startRequest(test.attempt, method, new URL(url))
    const header = traceparent(test.attempt.traceId, step.spanId)
    this.#open.add({ step, method, url, traceparent: header })
    const headers = Object.entries({ ...request.headers, traceparent: header })
    await session.send("Fetch.continueRequest", {
      requestId,
      headers: headers.map(([name, value]) => ({ name, value })),
    })
  }

  /** Of a document that loads. Its page may send requests as soon as it goes on. */
  async #addOrigin(url: string): Promise<void> {
    if (!mayPropagate(url, this.#test?.origins ?? NO_ORIGINS)) return
    this.#origins.add(new URL(url).origin)
    await this.#intercept()
  }

  /** Called while a request is paused, so that the first response of a new context is not missed. */
  #readResponses(context: BrowserContext): void {
    if (this.#contexts.has(context)) return
    this.#contexts.add(context)
    // A request whose body nobody reads fails after its response.
    const answered = new WeakSet<Request>()
    context.on("response", (response) => {
      const request = response.request()
      answered.add(request)
      if (TUNNEL_HEADER in response.headers()) this.#removeDeliveries(request.url())
      else void this.#end(request, { status: response.status() })
    })
    context.on("requestfailed", (request) => {
      if (answered.has(request)) return
      void this.#end(request, resultOfFailure(request))
    })
  }

  /** Ends the request's step. */
  async #end(request: Request, result: RequestResult): Promise<void> {
    const found = await this.#find(request)
    if (found !== undefined && this.#open.delete(found)) endRequest(found.step, result)
  }

  /** Of several to one address, the one that was sent with the same header. */
  async #find(request: Request): Promise<OpenRequest | undefined> {
    const [url, method] = [request.url(), request.method()]
    const alike = [...this.#open].filter((open) => open.url === url && open.method === method)
    if (alike.length < 2) return alike[0]
    const sent = await request.headerValue("traceparent").catch(() => undefined)
    return alike.find((open) => open.traceparent === sent) ?? alike[0]
  }

  /** Those of Pagespan's tracer are no requests of the test. Several wait for their responses at the same time. */
  #removeDeliveries(tunnel: string): void {
    for (const open of this.#open) {
      if (open.url !== tunnel) continue
      this.#open.delete(open)
      if (this.#test !== undefined) removeStep(this.#test.attempt, open.step)
    }
    if (this.#tunnels.size < TUNNEL_LIMIT) this.#tunnels.add(tunnel)
    const { origin } = new URL(tunnel)
    if (this.#selfTraced.has(origin)) return
    this.#selfTraced.add(origin)
    void this.#intercept()
  }
}

const NO_ORIGINS: ReadonlySet<string> = new Set()

/** A request that its page aborts, or whose page is left, is no error, as in the page's tracer. */
function resultOfFailure(request: Request): RequestResult {
  const name = request.failure()?.errorText ?? "failed"
  if (name === "net::ERR_ABORTED") return { isAborted: true }
  return { error: { name, message: `${request.method()} ${new URL(request.url()).pathname} got no response` } }
}

function allOf(origin: string): string {
  return `${origin}/*`
}

function isTraced({ request, resourceType }: PausedRequest, origins: ReadonlySet<string>): boolean {
  const headers = new Map(Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]))
  if (headers.has("traceparent") || !mayPropagate(request.url, origins)) return false
  if (resourceType === "Document") return true
  // A header on a request to another origin would cause a preflight.
  const referer = headers.get("referer") ?? ""
  return URL.canParse(referer) && new URL(referer).origin === new URL(request.url).origin
}
