import type { Page, Request } from "playwright-core"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { PAGE_DROPS_HEADER } from "#otel/sdk/page-drops.ts"
import { sleep, waitFor } from "#tests/support/wait-for.ts"
import { type RecordedApp, startRecordedApp } from "../recorded-app.ts"
import { endRoot, isIdle, isRoot, open } from "../visit.ts"

/** Longer than the page waits before it asks for its settings a second time. */
const SEVERAL_ATTEMPTS_MS = 4_000

interface Visited {
  readonly page: Page
  /** Paths to which the page posted, on its own origin. */
  readonly posted: readonly string[]
  /** Requests of these that have no answer yet. */
  readonly pending: ReadonlySet<Request>
  /** What the console shows in red. */
  readonly failures: readonly string[]
}

describe("a proxy whose matcher catches the tunnel", () => {
  let recorded: RecordedApp

  beforeAll(async () => {
    recorded = await startRecordedApp("locale", { variant: { name: "caught" } })
  })

  afterAll(() => recorded?.stop())

  beforeEach(() => recorded.sentry.clear())

  async function visit(path: string, cookie?: string): Promise<Visited> {
    const { app, browser } = recorded
    const context = await browser.newContext()
    if (cookie !== undefined) await context.addCookies([{ name: cookie, value: "1", url: app.origin }])
    const page = await context.newPage()
    const posted: string[] = []
    const failures: string[] = []
    const pending = new Set<Request>()
    page.on("request", (request) => {
      if (request.method() === "POST" && request.redirectedFrom() === null) pending.add(request)
    })
    page.on("requestfinished", (request) => pending.delete(request))
    page.on("requestfailed", (request) => pending.delete(request))
    // Chromium announces the request that a redirect would cause, and does not send it.
    page.on("response", (response) => {
      const { origin, pathname } = new URL(response.url())
      if (response.request().method() === "POST" && origin === app.origin) posted.push(pathname)
    })
    page.on("console", (message) => message.type() === "error" && failures.push(message.text()))
    await open(page, `${app.origin}${path}`)
    await isIdle(page)
    return { page, posted, pending, failures }
  }

  /** Requests that reached Sentry as transactions of the server, other than those of pages. */
  const posts = () => recorded.sentry.transactions().filter(({ transaction }) => String(transaction).includes("POST"))

  test.each([
    ["redirects it", undefined],
    ["rewrites it to a page that does not exist", "rewrite"],
    ["rewrites it to a page", "page"],
  ])("and %s: the page notices it once and sends to the DSN", async (_what, cookie) => {
    const { sentry } = recorded
    const { page, posted, pending, failures } = await visit("/en/news/1", cookie)
    await page.evaluate(
      () =>
        void setTimeout(() => {
          throw new Error("after the tunnel failed")
        }, 0),
    )
    const error = await sentry.waitForError(
      "of the page",
      ({ exception }) => exception.values[0].value === "after the tunnel failed",
    )
    // A request that was in flight when the page noticed may be answered after this.
    await waitFor("all answers", () => pending.size === 0)
    const noticed = [...posted]
    expect(new Set(noticed)).toEqual(new Set(["/monitoring"]))
    await endRoot(page)
    const root = await sentry.waitForTransaction("of the page", isRoot)
    expect(root["transaction"]).toBe("/[locale]/news/[id]")
    expect(error["contexts"].trace.trace_id).toBe(root["contexts"].trace.trace_id)
    await page.getByRole("link", { name: "pathnames" }).click()
    await endRoot(page)
    await sentry.waitForTransaction("of the navigation", ({ contexts }) => contexts.trace.op === "navigation")
    expect(posted).toEqual(noticed)
    // Neither a redirect nor a page is one, and a 404 is one of each request that was in flight.
    const most = cookie === "rewrite" ? noticed.length : 0
    expect(failures.filter((line) => line.includes("Failed to load"))).toHaveLength(most)
    // The spans have nowhere else to go, and Sentry's client reports say so.
    await waitFor("the dropped spans", () =>
      JSON.stringify(sentry.items("client_report")).includes('"category":"span"'),
    )
    expect(posts()).toEqual([])
    await page.context().close()
  })

  test("a page that does not know the DSN stops asking for its settings", async () => {
    const { page, posted, failures } = await visit("/admin")
    await sleep(SEVERAL_ATTEMPTS_MS)
    expect(posted).toEqual(["/monitoring"])
    expect(failures).toEqual([])
    await page.context().close()
  })

  test("makes no transaction of a delivery that follows the redirect, and one of any other request to that path", async () => {
    const { app } = recorded
    const post = (headers: Record<string, string>) =>
      fetch(`${app.origin}/monitoring`, { method: "POST", headers: { origin: app.origin, ...headers } })
    expect((await post({ [PAGE_DROPS_HEADER]: "" })).url).toBe(`${app.origin}/en/monitoring`)
    await post({})
    await waitFor("the request of a stranger, in the proxy and in the page", () => posts().length >= 2)
    await sleep(500)
    expect(new Set(posts().map(({ contexts }) => contexts.trace.trace_id)).size).toBe(1)
  })
})
