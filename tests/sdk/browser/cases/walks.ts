import type { Page } from "playwright-core"
import { route, settled, shows, waitInPage } from "../visit.ts"
import type { Build } from "./builds.ts"

/** The actions of a visitor, and the roots that they must make. */
export interface Walk {
  readonly what: string
  readonly from: string
  walk(page: Page, build: Build): Promise<void>
  /** Whether it depends on what the tracer loads late. */
  readonly needsIdle?: true
  /** Whether it depends on knowing which entries of the history the app itself wrote. */
  readonly needsNavigationApi?: true
  readonly story: readonly string[]
  /** Attributes of roots, by their position in the story. */
  readonly says?: Readonly<Record<number, Readonly<Record<string, string>>>>
}

/** Resolves when the page has the query and has shown what it changes. */
export async function hasQuery(page: Page, query: string): Promise<void> {
  await waitInPage(page, (query) => location.search === query, query)
  await settled(page)
}

/** Follows a link of the page. */
export const press = (page: Page, link: string) => page.getByRole("link", { name: link, exact: true }).click()

export const walks: readonly Walk[] = [
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
    what: "a change of the query by the router is a navigation to the same route, and so is the way back",
    from: "/items/1",
    walk: async (page) => {
      await route(page, "push", "?page=2")
      await hasQuery(page, "?page=2")
      await page.evaluate(() => history.back())
      await hasQuery(page, "")
      // Long after the page is shown: a `replace` sooner is a redirect.
      await page.waitForTimeout(1_100)
      await route(page, "replace", "?page=3")
      await hasQuery(page, "?page=3")
    },
    story: [
      "pageload /items/[id]",
      "navigation /items/[id] by push",
      "navigation /items/[id] by traverse",
      "navigation /items/[id] by replace",
    ],
    says: { 1: { "navigation.from": "/items/[id]" } },
  },
  {
    what: "a rewritten page keeps its route when its query changes",
    from: "/hello",
    walk: async (page) => {
      await route(page, "push", "?page=2")
      await hasQuery(page, "?page=2")
    },
    story: ["pageload /[locale]/hello", "navigation /[locale]/hello by push"],
  },
  {
    what: "two pushes of one query are one navigation",
    from: "/static",
    walk: async (page) => {
      await page.evaluate(() => {
        const { appRouter } = window as unknown as { appRouter: { push(href: string): void } }
        for (let click = 0; click < 2; click++) appRouter.push("?page=2")
      })
      await hasQuery(page, "?page=2")
      await route(page, "push", "?page=2#part")
      await waitInPage(page, () => location.hash === "#part")
    },
    story: ["pageload /static", "navigation /static by push"],
  },
  {
    what: "a click on a fragment is no navigation",
    from: "/static",
    walk: (page) => press(page, "part"),
    story: ["pageload /static"],
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
    what: "a page that redirects is one navigation, named after its destination",
    from: "/static",
    walk: async (page) => {
      await press(page, "/jump")
      await shows(page, "item 9")
    },
    story: ["pageload /static", "navigation /items/[id] by push"],
  },
  {
    what: "a page that redirects after a long while is one navigation",
    from: "/static",
    walk: async (page) => {
      await route(page, "push", "/jump/late")
      await shows(page, "item 9")
    },
    story: ["pageload /static", "navigation /items/[id] by push"],
  },
  {
    what: "a redirect in the configuration is named after its destination",
    from: "/static",
    walk: async (page) => {
      await route(page, "push", "/old/42")
      await shows(page, "item 42")
    },
    story: ["pageload /static", "navigation /items/[id] by push"],
  },
  {
    what: "a rewrite is named after the route that it renders",
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
    what: "an unknown URL ends in a load of the 404 page",
    from: "/static",
    walk: async (page) => {
      await route(page, "push", "/no/such/page")
      await shows(page, "404")
      await waitInPage(page, () => "appRouter" in window)
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
  {
    what: "an intercepted route is named after its URL, and records the router tree as an attribute",
    from: "/feed",
    walk: async (page) => {
      await press(page, "/photo/7")
      await page.getByRole("heading", { name: "modal" }).waitFor()
      await settled(page)
    },
    story: ["pageload /feed", "navigation /photo/[id] by push"],
    says: { 1: { "pagespan.tree_route": "/feed" } },
  },
  {
    what: "a quick second click supersedes the first navigation, which has its own name and this end reason",
    from: "/static",
    walk: async (page) => {
      await press(page, "/slow")
      await press(page, "/items/1")
      await shows(page, "item 1")
    },
    story: ["pageload /static", "navigation /slow by push", "navigation /items/[id] by push"],
    says: { 1: { "pagespan.end_reason": "superseded" } },
  },
]
