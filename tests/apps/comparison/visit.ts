import type { Browser, Page, Request } from "playwright-core"
import { waitFor } from "#tests/support/wait-for.ts"
import { routeOfTree } from "./route-of-tree.ts"
import { shown } from "./shown.ts"

/** Which pages of an app to open. */
export interface Plan {
  /** Paths to load, each in a new browser context. */
  readonly loads: readonly string[]
  /** How many links of each loaded page to follow. */
  readonly links: number
}

/** A page that was loaded, or that a link led to. */
export interface View {
  readonly kind: "pageload" | "navigation"
  /** Path of the page in the end. */
  readonly path: string
  /** The route by Next's own router. */
  readonly route: string
  /** What the HTML of the response shows. Empty for a navigation. */
  readonly html: string
  /** What the document shows once nothing moves any more. */
  readonly dom: string
  /** Whether the server rendered the document for this visitor, and named its trace in it. */
  readonly namesTrace: boolean
  /** Traces that the requests of the navigation continued, prefetches left out. */
  readonly requestTraces: readonly string[]
}

export interface Visit {
  readonly views: readonly View[]
  /** What the console said, and the exceptions that nothing caught. */
  readonly console: readonly string[]
}

const SETTLED_MS = 600
const LIMIT_MS = 20_000
/** Thrown once in a visit, after the first page and its links. */
export const PAGE_ERROR = "thrown by the visit"

/** Opens the pages of the plan in a browser as a person would, and throws one error in the first tab. */
export async function visit(browser: Browser, origin: string, plan: Plan): Promise<Visit> {
  const said: string[] = []
  const views: View[] = []
  for (const path of plan.loads) {
    const context = await browser.newContext({ locale: "en-US", viewport: { width: 1440, height: 900 } })
    const page = await context.newPage()
    listen(page, origin, said)
    const visitor = new Visitor(page, origin)
    views.push(await visitor.load(path))
    for (const link of await visitor.links(plan.links)) views.push(...(await visitor.follow(path, link)))
    // A later one may be the 404 page, whose trace is filtered.
    if (path === plan.loads[0]) await throwIn(page)
    await page.close({ runBeforeUnload: false })
    await context.close()
  }
  return { views, console: said }
}

function listen(page: Page, origin: string, said: string[]): void {
  const say = (text: string) =>
    said.push(
      text
        .replaceAll(origin, "")
        .replaceAll(/_next\/static\/\S+/g, "_next/static/…")
        .split("\n    at ")[0]!,
    )
  page.on("console", (message) => say(`${message.type()}: ${message.text()}`))
  page.on("pageerror", (error) => say(`exception: ${error.message}`))
}

async function throwIn(page: Page): Promise<void> {
  const thrown = page.waitForEvent("pageerror", (error) => error.message.includes(PAGE_ERROR))
  await page.evaluate(
    (message) =>
      void setTimeout(() => {
        throw new Error(message)
      }),
    PAGE_ERROR,
  )
  await thrown
  await settle(page)
}

/** One tab of a visitor. */
class Visitor {
  readonly #page: Page
  readonly #origin: string
  readonly #requests: Request[] = []

  constructor(page: Page, origin: string) {
    this.#page = page
    this.#origin = origin
    page.on("request", (request) => this.#requests.push(request))
  }

  async load(path: string): Promise<View> {
    const response = await this.#page.goto(`${this.#origin}${path}`)
    const text = (await response?.text()) ?? ""
    await settle(this.#page)
    const html = await this.#page.evaluate(shown, text)
    return {
      ...(await this.#view()),
      kind: "pageload",
      html,
      namesTrace: /<meta name="traceparent"/.test(text),
      requestTraces: [],
    }
  }

  /** Paths of the first links of the page that lead to other pages of the app. */
  links(count: number): Promise<string[]> {
    return this.#page.evaluate((limit) => {
      const anchors = [...document.querySelectorAll<HTMLAnchorElement>("a[href]")].filter(
        (anchor) =>
          anchor.origin === location.origin &&
          anchor.pathname !== location.pathname &&
          anchor.target !== "_blank" &&
          !anchor.hasAttribute("download") &&
          !/^\/api\/|\.\w+$/.test(anchor.pathname),
      )
      return [...new Set(anchors.map((anchor) => anchor.getAttribute("href")!))].slice(0, limit)
    }, count)
  }

  /** Clicks a link. Loads the first page again if the page that is open does not have the link. */
  async follow(first: string, href: string): Promise<View[]> {
    const views: View[] = []
    if (!(await this.#has(href))) views.push(await this.load(first))
    const before = this.#page.url()
    this.#requests.length = 0
    const documents: Request[] = []
    const noteDocument = (request: Request) => {
      if (request.isNavigationRequest() && request.frame() === this.#page.mainFrame()) documents.push(request)
    }
    this.#page.on("request", noteDocument)
    await this.#page.evaluate((target) => {
      for (const anchor of document.querySelectorAll<HTMLAnchorElement>("a[href]"))
        if (anchor.getAttribute("href") === target) return anchor.click()
    }, href)
    await waitFor(`${href} to open`, () => this.#page.url() !== before, LIMIT_MS)
    await settle(this.#page)
    this.#page.off("request", noteDocument)
    const requestTraces = await this.#requestTraces()
    if (documents.length > 0) {
      const text = (await (await documents.at(-1)!.response())?.text()) ?? ""
      const html = await this.#page.evaluate(shown, text)
      const namesTrace = /<meta name="traceparent"/.test(text)
      views.push({ ...(await this.#view()), kind: "pageload", html, namesTrace, requestTraces: [] })
    } else views.push({ ...(await this.#view()), kind: "navigation", html: "", namesTrace: false, requestTraces })
    return views
  }

  #has(href: string): Promise<boolean> {
    return this.#page.evaluate(
      (target) => [...document.querySelectorAll("a[href]")].some((anchor) => anchor.getAttribute("href") === target),
      href,
    )
  }

  async #requestTraces(): Promise<string[]> {
    const traces: string[] = []
    for (const request of this.#requests) {
      const headers = await request.allHeaders().catch(() => ({}) as Record<string, string>)
      const isPrefetch = headers["next-router-prefetch"] !== undefined || headers["purpose"] === "prefetch"
      if (headers["rsc"] === undefined || isPrefetch) continue
      traces.push(headers["traceparent"]?.split("-")[1] ?? "none")
    }
    return traces
  }

  async #view(): Promise<Pick<View, "path" | "route" | "dom">> {
    const { path, state, page } = await this.#page.evaluate(() => ({
      path: location.pathname,
      state: history.state as Record<string, unknown> | null,
      page: (window as { next?: { router?: { pathname?: string } } }).next?.router?.pathname,
    }))
    return { path, route: routeOfTree(state) ?? page ?? "unknown", dom: await this.#page.evaluate(shown, undefined) }
  }
}

/** Waits until no request is under way and the document does not change. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState("load", { timeout: LIMIT_MS }).catch(() => undefined)
  await page.waitForLoadState("networkidle", { timeout: LIMIT_MS }).catch(() => undefined)
  let last = ""
  let since = Date.now()
  const isStill = async () => {
    const now = await page.evaluate(shown, undefined).catch(() => "")
    if (now !== last) [last, since] = [now, Date.now()]
    return Date.now() - since > SETTLED_MS
  }
  await waitFor("the document to stop changing", isStill, LIMIT_MS).catch(() => undefined)
}
