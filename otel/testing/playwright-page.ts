import { EventEmitter, once } from "node:events"
import type { APIRequestContext, BrowserContext, CDPSession, Page, Request } from "@playwright/test"
import { mayPropagate } from "../protocol/transport/undici-request.ts"
import { type ActiveAttempt, endRequest, type OpenStep, startRequest, testError } from "./active-attempt.ts"
import { traceparent } from "./trace-ids.ts"
import { withinLimit } from "./within-limit.ts"

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
/** The name under which `otel/sdk/browser/page.ts` holds a page's tracer. */
const PAGE_SYMBOL = "pagespan.page"
const SENT = "sent"
const LEAVE_LIMIT_MS = 500
const RESOURCE_TYPES = ["Document", "XHR", "Fetch"]

/** Propagates the trace in all pages that the context opens. */
export async function traceContext(context: BrowserContext, test: TracedTest): Promise<void> {
  traceApi(context.request, test)
  const traced = new Map<Page, Promise<void>>()
  const trace = (page: Page): Promise<void> => {
    const known = traced.get(page) ?? tracePage(page, test)
    traced.set(page, known)
    return known
  }
  // A page that the app opens may send its first request sooner.
  context.on("page", (page) => void trace(page))
  const newPage = context.newPage.bind(context)
  context.newPage = async () => {
    const page = await newPage()
    await trace(page)
    return page
  }
  await Promise.all(context.pages().map(trace))
}

/**
 * Adds `traceparent` to the documents that a page loads from an allowed origin, and to requests of the page to its own origin
 * which have none. Through the DevTools protocol, because a route of Playwright's would turn the browser's cache off, and its
 * extra headers would reach other origins. Other browsers than Chromium have no such protocol: nothing is added there.
 */
async function tracePage(page: Page, test: TracedTest): Promise<void> {
  try {
    const session = await page.context().newCDPSession(page)
    const open = new Map<string, OpenStep>()
    session.on("Fetch.requestPaused", (paused: PausedRequest) => {
      // A page that was closed meanwhile needs no answer.
      void answer(session, paused, test, open).catch(() => undefined)
    })
    const urls = [...LOOPBACK_PATTERNS, ...[...test.origins].map((origin) => `${origin}/*`)]
    const patterns = urls.flatMap((urlPattern) => RESOURCE_TYPES.map((resourceType) => ({ urlPattern, resourceType })))
    await session.send("Fetch.enable", { patterns: patterns as { urlPattern: string }[] })
  } catch {
    // Not Chromium, or the page is closed already.
  }
}

async function answer(
  session: CDPSession,
  paused: PausedRequest,
  test: TracedTest,
  open: Map<string, OpenStep>,
): Promise<void> {
  const { requestId, networkId = requestId, request, responseStatusCode, responseErrorReason } = paused
  if (responseStatusCode !== undefined || responseErrorReason !== undefined) {
    const step = open.get(networkId)
    open.delete(networkId)
    const error =
      responseErrorReason === undefined ? undefined : { name: responseErrorReason, message: responseErrorReason }
    if (step !== undefined) endRequest(step, { status: responseStatusCode, error })
    await session.send("Fetch.continueRequest", { requestId })
    return
  }
  if (!isTraced(paused, test.origins)) {
    await session.send("Fetch.continueRequest", { requestId })
    return
  }
  const { traceId } = test.attempt
  const step = startRequest(test.attempt, request.method, new URL(request.url))
  open.set(networkId, step)
  const headers = Object.entries({ ...request.headers, traceparent: traceparent(traceId, step.spanId) })
  await session.send("Fetch.continueRequest", {
    requestId,
    headers: headers.map(([name, value]) => ({ name, value })),
    interceptResponse: true,
  })
}

function isTraced({ request, resourceType }: PausedRequest, origins: ReadonlySet<string>): boolean {
  const headers = new Map(Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]))
  if (headers.has("traceparent") || !mayPropagate(request.url, origins)) return false
  if (resourceType === "Document") return true
  // A header on a request to another origin would cause a preflight.
  const referer = headers.get("referer") ?? ""
  return URL.canParse(referer) && new URL(referer).origin === new URL(request.url).origin
}

/**
 * Lets pages with Pagespan's tracer send what they have, as when a visitor leaves them: Playwright closes a context without
 * the event, and closing it aborts their requests. Takes half a second at most.
 */
export async function leavePages(context: BrowserContext): Promise<void> {
  await Promise.all(context.pages().map((page) => withinLimit(leavePage(page), LEAVE_LIMIT_MS, undefined)))
}

async function leavePage(page: Page): Promise<void> {
  const sending = new Set<Request>()
  const sent = new EventEmitter()
  const begin = (request: Request): void => {
    if (request.method() === "POST") sending.add(request)
  }
  const end = (request: Request): void => {
    if (sending.delete(request) && sending.size === 0) sent.emit(SENT)
  }
  page.on("request", begin).on("requestfinished", end).on("requestfailed", end)
  const leave = page.evaluate((name) => {
    if (Symbol.for(name) in globalThis) window.dispatchEvent(new PageTransitionEvent("pagehide"))
  }, PAGE_SYMBOL)
  // A page that is closed, or whose script does not end, sends nothing.
  await leave.catch(() => undefined)
  if (sending.size > 0) await once(sent, SENT)
}

/** Propagates the trace in requests of the `request` fixture and of `page.request`. */
export function traceApi(api: APIRequestContext, { attempt, origins, baseUrl }: TracedTest): void {
  const send = api.fetch.bind(api)
  api.fetch = async (target, options = {}) => {
    const text = typeof target === "string" ? target : target.url()
    const headers = options.headers ?? (typeof target === "string" ? {} : target.headers())
    const url = URL.canParse(text, baseUrl) ? new URL(text, baseUrl) : undefined
    const hasOwn = Object.keys(headers).some((name) => name.toLowerCase() === "traceparent")
    if (url === undefined || hasOwn || !mayPropagate(url, origins)) return send(target, options)
    const method = options.method ?? (typeof target === "string" ? "GET" : target.method())
    const step = startRequest(attempt, method, url)
    try {
      const response = await send(target, {
        ...options,
        headers: { ...headers, traceparent: traceparent(attempt.traceId, step.spanId) },
      })
      endRequest(step, { status: response.status() })
      return response
    } catch (error) {
      endRequest(step, { error: testError(error) })
      throw error
    }
  }
}
