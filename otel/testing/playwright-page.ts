import { EventEmitter, once } from "node:events"
import { compileFunction } from "node:vm"
import type { APIRequestContext, BrowserContext, Page, Request } from "@playwright/test"
import { mayPropagate } from "../protocol/transport/undici-request.ts"
import { endRequest, type OpenStep, startRequest, testError } from "./active-attempt.ts"
import type { TracedTest } from "./playwright-browser.ts"
import { traceparent } from "./trace-ids.ts"
import { withinLimit } from "./within-limit.ts"

/** The name under which `otel/sdk/browser/page.ts` holds a page's tracer. */
const PAGE_SYMBOL = "pagespan.page"
const SENT = "sent"
const LEAVE_LIMIT_MS = 500

interface LeftPage {
  readonly hasTracer: boolean
  /** Whether its document and its scripts have. */
  readonly hasLoaded: boolean
}

/** Addresses without the tracer that a worker remembers. Pages at others are asked each time. */
const ADDRESS_LIMIT = 1_000
/** Of this many pages in a row at an address without the tracer, one is asked. */
const ASKED_OF = 10

/**
 * Lets pages with Pagespan's tracer send what they have, as when a visitor leaves them: Playwright closes a context without
 * the event, and closing it aborts their requests.
 *
 * To ask a page whether it has the tracer adds 8 ms to a test. So of the pages at an address that had none, every tenth is asked,
 * until a page of its origin has the tracer: a test may have opened it with its scripts blocked.
 */
export class PageLeaving {
  /** Origins of pages with the tracer. */
  readonly #traced = new Set<string>()
  /** How many pages were closed at an address that had loaded without the tracer. */
  readonly #untraced = new Map<string, number>()

  /** Takes half a second at most. */
  async leave(context: BrowserContext): Promise<void> {
    const pages = context.pages().filter((page) => this.#isAsked(page.url()))
    await Promise.all(pages.map((page) => withinLimit(this.#leave(page), LEAVE_LIMIT_MS, undefined)))
  }

  async #leave(page: Page): Promise<void> {
    const left = await leavePage(page)
    const { origin, address } = placeOf(page.url())
    if (left?.hasTracer) this.#traced.add(origin)
    else if (left?.hasLoaded && !this.#untraced.has(address) && this.#untraced.size < ADDRESS_LIMIT)
      this.#untraced.set(address, 1)
  }

  /** Whether to ask a page at this address. Counts it. */
  #isAsked(url: string): boolean {
    if (!/^https?:/.test(url)) return false
    const { origin, address } = placeOf(url)
    const count = this.#untraced.get(address)
    if (count === undefined || this.#traced.has(origin)) return true
    this.#untraced.set(address, count + 1)
    return count % ASKED_OF === 0
  }
}

function placeOf(url: string): { readonly origin: string; readonly address: string } {
  const { origin, pathname } = new URL(url)
  return { origin, address: origin + pathname }
}

/** @returns what the page said. `undefined` if it is closed, or its script does not end. */
async function leavePage(page: Page): Promise<LeftPage | undefined> {
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
    const hasTracer = Symbol.for(name) in globalThis
    if (hasTracer) window.dispatchEvent(new PageTransitionEvent("pagehide"))
    return { hasTracer, hasLoaded: document.readyState === "complete" }
  }, PAGE_SYMBOL)
  const left = await leave.catch(() => undefined)
  if (sending.size > 0) await once(sent, SENT)
  return left
}

type Send = APIRequestContext["fetch"]

/** A request as it is sent, and what follows its response. */
interface TracedCall {
  readonly parameters: Parameters<Send>
  end(response: ReturnType<Send>): ReturnType<Send>
}

/**
 * Wraps `send` by a function that Playwright takes for one of Node.js, of which it shows no frames: steps in its reports are
 * at the line of the test, and its messages name the method that the test called, such as `apiRequestContext.get`.
 */
const wrap = compileFunction(
  "return async (...parameters) => { const call = begin(...parameters); return call.end(send(...call.parameters)) }",
  ["send", "begin"],
  { filename: "node:pagespan" },
) as (send: Send, begin: (...parameters: Parameters<Send>) => TracedCall) => Send

/** Propagates the trace in requests of the `request` fixture and of `page.request`. */
export function traceApi(api: APIRequestContext, test: TracedTest): void {
  api.fetch = wrap(api.fetch.bind(api), (target, options) => traceCall(test, target, options))
}

function traceCall({ attempt, origins, baseUrl }: TracedTest, ...[target, options = {}]: Parameters<Send>): TracedCall {
  const text = typeof target === "string" ? target : target.url()
  const headers = options.headers ?? (typeof target === "string" ? {} : target.headers())
  const url = URL.canParse(text, baseUrl) ? new URL(text, baseUrl) : undefined
  const hasOwn = Object.keys(headers).some((name) => name.toLowerCase() === "traceparent")
  if (url === undefined || hasOwn || !mayPropagate(url, origins))
    return { parameters: [target, options], end: (response) => response }
  const method = options.method ?? (typeof target === "string" ? "GET" : target.method())
  const step = Object.assign(startRequest(attempt, method, url), { isApiRequest: true })
  const traced = { ...headers, traceparent: traceparent(attempt.traceId, step.spanId) }
  return { parameters: [target, { ...options, headers: traced }], end: (response) => endWith(step, response) }
}

async function endWith(step: OpenStep, sent: ReturnType<Send>): ReturnType<Send> {
  try {
    const response = await sent
    endRequest(step, { status: response.status() })
    return response
  } catch (error) {
    endRequest(step, { error: testError(error) })
    throw error
  }
}
