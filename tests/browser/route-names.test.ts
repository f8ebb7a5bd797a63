import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { launchChromium } from "#tests/support/chromium.ts"
import { type Payload, RecordingSentry } from "#tests/support/recording-sentry.ts"
import { type AppUnderTest, startApp } from "./app-under-test.ts"
import { open, rootsOf, route, settled, shows, storyOf, visit } from "./visit.ts"

let browser: Browser
let sentry: RecordingSentry
let app: AppUnderTest

beforeAll(async () => {
  browser = await launchChromium()
  sentry = await new RecordingSentry().listen()
  app = await startApp("routes", { environment: { SENTRY_DSN: sentry.dsn, SENTRY_RELEASE: "shop@1.2.3" } })
}, 240_000)

afterAll(async () => {
  await app?.stop()
  await browser?.close()
  await sentry?.close()
})

const loads = [
  ["a static page", "/static", "/static"],
  ["the root", "/", "/"],
  ["a dynamic segment", "/items/1", "/items/[id]"],
  ["a static page beside a dynamic one", "/items/new", "/items/new"],
  ["a parameter that looks like a static page, encoded", "/items/new%20", "/items/[id]"],
  ["a catch-all", "/docs/a/b/c", "/docs/[...slug]"],
  ["an optional catch-all without segments", "/help", "/help/[[...path]]"],
  ["an optional catch-all with segments", "/help/a/b", "/help/[[...path]]"],
  ["a route group", "/about", "/about"],
  ["nested route groups", "/shop/cart", "/shop/cart"],
  ["parallel slots", "/dash", "/dash"],
  ["an address that only a slot has", "/dash/views", "/dash/views"],
  ["nested layouts", "/nest/x/y", "/nest/[a]/[b]"],
  ["a locale in front", "/fr/hello", "/[locale]/hello"],
  ["a locale alone", "/fr", "/[locale]"],
  ["a locale that the address leaves out", "/hello", "/[locale]/hello"],
  ["a rewrite", "/t/12", "/items/[id]"],
  ["a redirect of the configuration", "/old/12", "/items/[id]"],
  ["a page that redirects", "/jump", "/items/[id]"],
  ["a page that calls notFound()", "/gone", "/gone"],
  ["a parameter that calls notFound()", "/items/missing", "/items/[id]"],
  ["an address that nothing serves", "/no/such/page", "/_not-found"],
  ["a parameter with a slash, encoded", "/items/a%2Fb", "/items/[id]"],
  ["a parameter beyond ASCII", "/items/%E6%97%A5", "/items/[id]"],
  ["a page made on demand", "/isr/fresh", "/isr/[id]"],
  ["a page made at build time with a parameter", "/isr/built", "/isr/[id]"],
  ["an intercepted route, loaded directly", "/photo/7", "/photo/[id]"],
] as const

/** What came of the loads, by one visitor who goes from address to address. */
let loaded: readonly Payload[] = []

beforeAll(async () => {
  const page = await visit(browser, `${app.origin}${loads[0][1]}`)
  for (const [, path] of loads.slice(1)) await open(page, `${app.origin}${path}`)
  loaded = await rootsOf(page, sentry, loads.length)
}, 120_000)

test.each(loads)("a hard load of %s is one pageload named by its route: %s -> %s", (_what, path, name) => {
  const index = loads.findIndex((load) => load[1] === path)
  expect(storyOf([loaded[index]!])).toEqual([`pageload ${name}`])
})

test("each hard load is one root and no more", () => {
  expect(loaded).toHaveLength(loads.length)
})

const loadOf = (path: string) => loaded[loads.findIndex((load) => load[1] === path)]!

test.each([
  ["/static", "route"],
  ["/", "route"],
  ["/items/1", "route"],
  ["/nest/x/y", "route"],
  ["/isr/fresh", "route"],
])("a load of %s says what it is in Sentry's words, its name a %s", (path, source) => {
  const { transaction, transaction_info, contexts, ...event } = loadOf(path)
  expect([event["type"], event["platform"]]).toEqual(["transaction", "javascript"])
  expect(transaction_info).toEqual({ source })
  expect(contexts.trace).toMatchObject({
    trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
    op: "pageload",
    origin: "auto.pageload.pagespan",
    status: "ok",
    data: {
      "sentry.op": "pageload",
      "sentry.origin": "auto.pageload.pagespan",
      "sentry.source": source,
      "http.route": transaction,
      "url.template": transaction,
    },
  })
  expect(event["timestamp"]).toBeGreaterThan(event["start_timestamp"])
})

test("a page and the server that rendered it say the same release and environment, on one trace", async () => {
  const { contexts, ...page } = loadOf("/items/1")
  const server = await sentry.waitForTransaction(
    "of the server",
    (event) => event["platform"] === "node" && event["contexts"].trace.trace_id === contexts.trace.trace_id,
  )
  expect(server["transaction"]).toBe("GET /items/[id]")
  expect(page["request"]).toEqual({
    url: `${app.origin}/items/1`,
    headers: { "User-Agent": expect.stringContaining("Chrome") },
  })
  for (const side of [page, server]) expect(side).toMatchObject({ release: "shop@1.2.3", environment: "production" })
})

interface Walk {
  readonly what: string
  readonly from: string
  walk(page: Page): Promise<void>
  readonly story: readonly string[]
}

const press = (page: Page, link: string) => page.getByRole("link", { name: link, exact: true }).click()

const walks: readonly Walk[] = [
  {
    what: "a link",
    from: "/static",
    walk: async (page) => {
      await press(page, "/items/1")
      await shows(page, "item 1")
    },
    story: ["pageload /static", "navigation /items/[id] by push"],
  },
  {
    what: "the same route with another parameter",
    from: "/items/1",
    walk: async (page) => {
      await press(page, "/items/2")
      await shows(page, "item 2")
    },
    story: ["pageload /items/[id]", "navigation /items/[id] by push"],
  },
  {
    what: "push and replace by code",
    from: "/static",
    walk: async (page) => {
      await route(page, "push", "/docs/a/b")
      await shows(page, "docs")
      await page.waitForTimeout(1_100)
      await route(page, "replace", "/help/x")
      await shows(page, "help")
    },
    story: ["pageload /static", "navigation /docs/[...slug] by push", "navigation /help/[[...path]] by replace"],
  },
  {
    what: "the browser's back and forward",
    from: "/static",
    walk: async (page) => {
      await press(page, "/items/1")
      await shows(page, "item 1")
      await page.evaluate(() => history.back())
      await shows(page, "static")
      await page.evaluate(() => history.forward())
      await shows(page, "item 1")
    },
    story: [
      "pageload /static",
      "navigation /items/[id] by push",
      "navigation /static by traverse",
      "navigation /items/[id] by traverse",
    ],
  },
  {
    what: "a change of the query alone is no navigation",
    from: "/static",
    walk: async (page) => {
      await route(page, "push", "/static?page=2")
      await page.waitForFunction(() => location.search === "?page=2")
      await page.evaluate(() => history.back())
      await page.waitForFunction(() => location.search === "")
    },
    story: ["pageload /static"],
  },
  {
    what: "a click on a fragment is no navigation",
    from: "/static",
    walk: (page) => press(page, "part"),
    story: ["pageload /static"],
  },
  {
    what: "a shallow pushState is no navigation",
    from: "/items/1",
    walk: async (page) => {
      await page.evaluate(() => history.pushState(null, "", "/items/1/shallow"))
      await page.waitForTimeout(200)
      await page.evaluate(() => history.back())
      await page.waitForTimeout(200)
    },
    story: ["pageload /items/[id]"],
  },
  {
    what: "a push after a click on a fragment is a navigation",
    from: "/static",
    walk: async (page) => {
      await press(page, "part")
      await press(page, "/items/1")
      await shows(page, "item 1")
    },
    story: ["pageload /static", "navigation /items/[id] by push"],
  },
  {
    what: "a page that redirects is one navigation, named by where it ends",
    from: "/static",
    walk: async (page) => {
      await press(page, "/jump")
      await shows(page, "item 9")
    },
    story: ["pageload /static", "navigation /items/[id] by push"],
  },
  {
    what: "a redirect of the configuration is named after it",
    from: "/static",
    walk: async (page) => {
      await route(page, "push", "/old/42")
      await shows(page, "item 42")
    },
    story: ["pageload /static", "navigation /items/[id] by push"],
  },
  {
    what: "a rewrite is named by what it renders",
    from: "/static",
    walk: async (page) => {
      await route(page, "push", "/t/42")
      await shows(page, "item 42")
    },
    story: ["pageload /static", "navigation /items/[id] by push"],
  },
  {
    what: "a page that calls notFound() keeps its route",
    from: "/static",
    walk: async (page) => {
      await route(page, "push", "/items/missing")
      await shows(page, "404")
    },
    story: ["pageload /static", "navigation /items/[id] by push"],
  },
  {
    what: "an address that nothing serves ends in a load of the 404 page",
    from: "/static",
    walk: async (page) => {
      await route(page, "push", "/no/such/page")
      await shows(page, "404")
      await page.waitForFunction(() => "appRouter" in window)
    },
    story: ["pageload /static", "navigation unmatched by push", "pageload /_not-found"],
  },
  {
    what: "the redirect of a server action, which the router does not announce",
    from: "/action",
    walk: async (page) => {
      await page.getByRole("button", { name: "go" }).click()
      await shows(page, "item 5")
    },
    story: ["pageload /action", "navigation /items/[id] by push"],
  },
  {
    what: "a double click is one navigation",
    from: "/static",
    walk: async (page) => {
      await page.getByRole("link", { name: "/items/1", exact: true }).dblclick()
      await shows(page, "item 1")
    },
    story: ["pageload /static", "navigation /items/[id] by push"],
  },
]

test.each(walks)("$what, from $from", async ({ from, walk, story }) => {
  const page = await visit(browser, `${app.origin}${from}`)
  await walk(page)
  expect(storyOf(await rootsOf(page, sentry, story.length))).toEqual(story)
})

test("an intercepted route is named by its address, and tells the tree beside it", async () => {
  const page = await visit(browser, `${app.origin}/feed`)
  await press(page, "/photo/7")
  await page.getByRole("heading", { name: "modal" }).waitFor()
  await settled(page)
  const roots = await rootsOf(page, sentry, 2)
  expect(storyOf(roots)).toEqual(["pageload /feed", "navigation /photo/[id] by push"])
  expect(roots[1]!["contexts"].trace.data["pagespan.tree_route"]).toBe("/feed")
})

test("a quick second click supersedes the first navigation, which keeps its own name and says so", async () => {
  const page = await visit(browser, `${app.origin}/static`)
  await press(page, "/slow")
  await press(page, "/items/1")
  await shows(page, "item 1")
  const roots = await rootsOf(page, sentry, 3)
  expect(storyOf(roots)).toEqual(["pageload /static", "navigation /slow by push", "navigation /items/[id] by push"])
  expect(roots[1]!["contexts"].trace.data["pagespan.end_reason"]).toBe("superseded")
})
