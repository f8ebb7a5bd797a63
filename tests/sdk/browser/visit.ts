import type { Browser, BrowserContext, Page } from "playwright-core"
import { expect } from "vitest"
import type { Payload, RecordingSentry } from "#tests/support/recording-sentry.ts"
import { sleep, waitFor } from "#tests/support/wait-for.ts"

/** Opens a page for a visitor with a new browser profile, which `prepare` may change first. */
export async function visit(
  browser: Browser,
  url: string,
  prepare?: (profile: BrowserContext) => Promise<void>,
): Promise<Page> {
  const context = await browser.newContext()
  await prepare?.(context)
  const page = await context.newPage()
  keepEvents(page)
  await open(page, url)
  return page
}

const events = new WeakMap<Page, string[]>()

function keepEvents(page: Page): void {
  const kept: string[] = []
  events.set(page, kept)
  page.on("console", (message) => kept.push(`console.${message.type()}: ${message.text()}`))
  page.on("pageerror", (error) => kept.push(`uncaught: ${error.stack ?? error.message}`))
  page.on("requestfailed", (request) => kept.push(`${request.url()}: ${request.failure()?.errorText ?? "failed"}`))
  page.on("response", (response) => response.ok() || kept.push(`${response.url()}: status ${response.status()}`))
  page.on("framenavigated", (frame) => kept.push(`${frame.url()}: navigated`))
}

/** What happened in a page that `visit` opened. A test that fails prints it: it says why the page went another way. */
export function eventsOf(page: Page): string {
  return events.get(page)?.join("\n") ?? ""
}

/** Opens a URL in a page and waits until it has hydrated. */
export async function open(page: Page, url: string): Promise<void> {
  await page.goto(url, { waitUntil: "load" })
  await waitInPage(page, () => "appRouter" in window)
}

/** Resolves when the function returns true in the page. It is called by a timer: Chromium draws no frames of a hidden page. */
export function waitInPage<T>(page: Page, isTrue: (argument: T) => boolean, argument?: T): Promise<unknown> {
  return page.waitForFunction(isTrue as (argument: unknown) => boolean, argument, { polling: 50 })
}

type Router = Record<"push" | "replace", (href: string) => void> & Record<"back" | "forward", () => void>

/** Calls the app's router. */
export function route(page: Page, how: "push" | "replace", href: string): Promise<void> {
  return page.evaluate(({ how, href }) => (window as unknown as { appRouter: Router }).appRouter[how](href), {
    how,
    href,
  })
}

/** Resolves when the route observer's effect has run, after the commit that the page shows. */
export function settled(page: Page): Promise<void> {
  return page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0))))
}

/** Resolves when the page shows the text as its heading. With Cache Components earlier pages stay in the document, hidden. */
export async function shows(page: Page, heading: string): Promise<void> {
  await waitInPage(
    page,
    (text) => [...document.querySelectorAll("h1")].some((h1) => h1.checkVisibility() && h1.innerText.startsWith(text)),
    heading,
  )
  await settled(page)
}

/** Resolves when what the tracer loads late has started: it registers OpenTelemetry's propagation API. */
export async function isIdle(page: Page): Promise<void> {
  await waitInPage(page, () => {
    const api = (globalThis as Record<symbol, { propagation?: unknown } | undefined>)[
      Symbol.for("opentelemetry.js.api.1")
    ]
    return api?.propagation !== undefined
  })
}

export function isRoot({ platform, contexts }: Payload): boolean {
  return platform === "javascript" && ["pageload", "navigation"].includes(contexts?.trace?.op)
}

const isOfSession = (session: string, { contexts }: Payload) => contexts.trace.data["session.id"] === session

/** The session id of the page's visitor. */
function sessionOf(page: Page): Promise<string> {
  return page.evaluate(() => (JSON.parse(localStorage.getItem("pagespan.session") ?? "{}") as { id: string }).id)
}

/** Resolves with the root of the page's load once it reached Sentry, where pages of other visitors may still deliver theirs. */
export async function pageloadOf(page: Page, sentry: RecordingSentry): Promise<Payload> {
  const session = await sessionOf(page)
  return sentry.waitForTransaction("the pageload", (event) => isRoot(event) && isOfSession(session, event))
}

/** Ends the root as unloading does, without unloading: Chromium gives an unloading page half a second, too little on a busy machine. */
export function endRoot(page: Page): Promise<unknown> {
  return page.evaluate(() => window.dispatchEvent(new PageTransitionEvent("pagehide")))
}

/**
 * Ends the page's root and unloads the page. Resolves with the roots of its visitor that reached Sentry, in order. Other
 * visitors may be active.
 *
 * @param mayRepeat whether a root may have arrived twice, with the same event id. Default: each arrives once.
 */
export async function rootsOf(
  page: Page,
  sentry: RecordingSentry,
  count: number,
  mayRepeat = false,
): Promise<Payload[]> {
  await endRoot(page)
  const session = await sessionOf(page)
  const received = () => sentry.transactions().filter((event) => isRoot(event) && isOfSession(session, event))
  const roots = () => [...new Map(received().map((root) => [root["contexts"].trace.span_id, root])).values()]
  // The tests in `unload.test.ts` check requests of unloaded pages.
  await waitFor(`${count} roots`, () => roots().length >= count)
  await page.goto("about:blank")
  // An excess root would have been sent by now.
  await sleep(150)
  await page.context().close()
  const arrived = mayRepeat ? new Set(received().map(({ event_id: id }) => id as string)) : received()
  expect([...arrived]).toHaveLength(roots().length)
  return roots().sort((a, b) => a["start_timestamp"] - b["start_timestamp"])
}

/**
 * A line for each root: its op, its name, the type of the navigation, and a remark unless it has its own trace and a link to the
 * previous root of the document.
 */
export function storyOf(roots: readonly Payload[]): string[] {
  return roots.map((root, index) => {
    const { trace } = root["contexts"]
    const line = `${trace.op} ${root["transaction"]}`
    if (trace.op === "pageload") return trace.links === undefined ? line : `${line}, linked`
    const before = roots[index - 1]?.["contexts"].trace
    const [link] = trace.links ?? []
    const isLinked = link?.trace_id === before?.trace_id && link?.span_id === before?.span_id
    const isOwn = trace.trace_id !== before?.trace_id && trace.parent_span_id === undefined
    return `${line} by ${trace.data["navigation.type"]}${isLinked && isOwn ? "" : ", not a linked trace of its own"}`
  })
}
