import type { Browser, Page } from "playwright-core"
import { expect } from "vitest"
import type { Payload, RecordingSentry } from "#tests/support/recording-sentry.ts"
import { sleep, waitFor } from "#tests/support/wait-for.ts"

/** A visitor with a browser profile of their own. */
export async function visit(browser: Browser, url: string): Promise<Page> {
  const context = await browser.newContext()
  const page = await context.newPage()
  await open(page, url)
  return page
}

/** Opens an address in a page and waits until it has hydrated. */
export async function open(page: Page, url: string): Promise<void> {
  await page.goto(url, { waitUntil: "load" })
  await page.waitForFunction(() => "appRouter" in window)
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

/** Resolves when the page shows the text as its heading. With Cache Components the pages before stay in it, hidden. */
export async function shows(page: Page, heading: string): Promise<void> {
  await page.waitForFunction(
    (text) => [...document.querySelectorAll("h1")].some((h1) => h1.checkVisibility() && h1.innerText.startsWith(text)),
    heading,
    // By a timer: Chromium draws no frames of a page that it takes for hidden.
    { polling: 50 },
  )
  await settled(page)
}

export function isRoot({ platform, contexts }: Payload): boolean {
  return platform === "javascript" && ["pageload", "navigation"].includes(contexts?.trace?.op)
}

/** The id under which everything of this page's visitor is told. */
function sessionOf(page: Page): Promise<string> {
  return page.evaluate(() => (JSON.parse(localStorage.getItem("pagespan.session") ?? "{}") as { id: string }).id)
}

/** As leaving it would, while it is there: Chromium gives a page that it leaves half a second, and a busy machine takes longer. */
export function endRoot(page: Page): Promise<unknown> {
  return page.evaluate(() => window.dispatchEvent(new PageTransitionEvent("pagehide")))
}

/**
 * Ends the page's root and leaves it, and answers the roots of its visitor that reached Sentry, in order. Other visitors
 * may be about.
 */
export async function rootsOf(page: Page, sentry: RecordingSentry, count: number): Promise<Payload[]> {
  await endRoot(page)
  const session = await sessionOf(page)
  const isOwn = (root: Payload) => isRoot(root) && root["contexts"].trace.data["session.id"] === session
  const roots = () => sentry.transactions().filter(isOwn)
  // What a browser does with requests of a page that is gone is for the tests of leaving.
  await waitFor(`${count} roots`, () => roots().length >= count)
  await page.goto("about:blank")
  // Whoever sends one too many has done so by now.
  await sleep(150)
  await page.context().close()
  const spanIds = roots().map((root) => root["contexts"].trace.span_id)
  expect(new Set(spanIds).size).toBe(spanIds.length)
  return roots().sort((a, b) => a["start_timestamp"] - b["start_timestamp"])
}

/**
 * What happened, a line for each root: kind, name, how the navigation came about, and whether it has a trace of its own
 * that is linked to the root before it in the same document.
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
