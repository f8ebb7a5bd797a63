import type { BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { waitFor } from "#tests/support/wait-for.ts"
import { PLAIN } from "../cases/builds.ts"
import { hybridLoads, hybridWalks } from "../cases/hybrid.ts"
import { type RecordedApp, startRecordedApp } from "../recorded-app.ts"
import { isIdle, rootsOf, route, shows, storyOf, visit, waitInPage } from "../visit.ts"

/** Resolves when Pagespan listens to the Pages Router, if the page has one. */
const isWatched = (page: Page) =>
  waitInPage(page, () => {
    const { isRouterWatched, next } = window as unknown as { isRouterWatched?: true; next: { router: object } }
    return isRouterWatched === true || !("events" in next.router)
  })

/** Larger than the chunk that listens to the Pages Router, and smaller than Next's router. */
const CHUNK_LENGTH_LIMIT = 5_000

/** Holds back the chunk that listens to the Pages Router, as a slow network does. */
function heldChunk() {
  let isHeld = false
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  const hold = async (profile: BrowserContext) => {
    await profile.route("**/_next/static/chunks/*.js", async (requested) => {
      const response = await requested.fetch()
      const text = await response.text()
      if (text.length < CHUNK_LENGTH_LIMIT && text.includes("routeChangeComplete")) {
        isHeld = true
        await released
      }
      await requested.fulfill({ response })
    })
  }
  return { hold, release, isRequested: () => waitFor("the request of the chunk", () => isHeld) }
}

describe("an app with pages of both routers", () => {
  let recorded: RecordedApp

  beforeAll(async () => {
    recorded = await startRecordedApp("hybrid")
  })

  afterAll(() => recorded?.stop())

  const opened = async (path: string) => {
    const page = await visit(recorded.browser, `${recorded.app.origin}${path}`)
    await isIdle(page)
    await isWatched(page)
    return page
  }

  test.each(hybridLoads)("a hard load of %s is named by its route: %s -> %s", async (_what, path, name) => {
    const page = await opened(path)
    expect(storyOf(await rootsOf(page, recorded.sentry, 1))).toEqual([`pageload ${name}`])
  })

  test("a hard load of a rewrite is named by its route before anything listens to the router", async () => {
    const chunk = heldChunk()
    const page = await visit(recorded.browser, `${recorded.app.origin}/journal/1`, chunk.hold)
    await chunk.isRequested()
    const story = storyOf(await rootsOf(page, recorded.sentry, 1))
    chunk.release()
    expect(story).toEqual(["pageload /blog/[slug]"])
  })

  test("a navigation before anything listens to the router is a root of its own", async () => {
    const chunk = heldChunk()
    const page = await visit(recorded.browser, `${recorded.app.origin}/`, chunk.hold)
    await chunk.isRequested()
    await page.getByRole("link", { name: "blog 1" }).click()
    await shows(page, "blog 1")
    chunk.release()
    await isWatched(page)
    const story = storyOf(await rootsOf(page, recorded.sentry, 2))
    expect(story).toEqual(["pageload /", "navigation /blog/[slug] by push"])
  })

  test.each(hybridWalks)("$what, from $from", async ({ from, walk, story }) => {
    const page = await opened(from)
    await walk(page, PLAIN)
    expect(storyOf(await rootsOf(page, recorded.sentry, story.length))).toEqual(story)
  })

  test("a page that the server renders is one trace with it", async () => {
    const page = await opened("/blog/8")
    const [pageload] = await rootsOf(page, recorded.sentry, 1)
    const { trace_id, parent_span_id } = pageload!["contexts"].trace
    const server = await recorded.sentry.waitForTransaction(
      "of the server",
      ({ platform, contexts }) => platform === "node" && contexts.trace.trace_id === trace_id,
    )
    expect(server["transaction"]).toBe("GET /blog/[slug]")
    expect(parent_span_id).toBe(server["contexts"].trace.span_id)
  })

  test("a navigation between pages of pages/ is one trace with the server that made its data", async () => {
    const page = await opened("/")
    await route(page, "push", "/blog/9")
    await shows(page, "blog 9")
    const [, navigation] = await rootsOf(page, recorded.sentry, 2)
    const { trace_id } = navigation!["contexts"].trace
    const server = await recorded.sentry.waitForTransaction(
      "of the server",
      ({ platform, contexts }) => platform === "node" && contexts.trace.trace_id === trace_id,
    )
    expect(server["transaction"]).toBe("GET /blog/[slug]")
    const requests = navigation!["spans"].filter(({ op }: { op: string }) => op === "http.client")
    expect(requests.map(({ span_id }: { span_id: string }) => span_id)).toContain(
      server["contexts"].trace.parent_span_id,
    )
  })
})
