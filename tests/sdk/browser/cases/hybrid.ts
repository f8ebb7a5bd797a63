import { route, settled, shows, waitInPage } from "../visit.ts"
import type { Walk } from "./walks.ts"

/** Cases of the app `hybrid`, which has pages of both routers. */

export const hybridLoads = [
  ["a static page of pages/", "/", "/"],
  ["a page that the server renders", "/blog/1", "/blog/[slug]"],
  ["a catch-all", "/shop/a/b", "/shop/[...path]"],
  ["a rewrite", "/journal/1", "/blog/[slug]"],
  ["a page that redirects", "/blog/away", "/shop/[...path]"],
  ["a page of app/", "/news", "/news"],
  ["a page that the edge runtime renders", "/edge/1", "/edge/[what]"],
] as const

export const hybridWalks: readonly Walk[] = [
  {
    what: "a link between two pages of pages/, and back",
    from: "/",
    walk: async (page) => {
      await page.getByRole("link", { name: "blog 1" }).click()
      await shows(page, "blog 1")
      await page.getByRole("link", { name: "blog 2" }).click()
      await shows(page, "blog 2")
      await page.goBack()
      await shows(page, "blog 1")
    },
    story: [
      "pageload /",
      "navigation /blog/[slug] by push",
      "navigation /blog/[slug] by push",
      "navigation /blog/[slug] by traverse",
    ],
  },
  {
    what: "a query, a rewrite, and a change that the app declares shallow",
    from: "/blog/1",
    walk: async (page) => {
      await route(page, "push", "/blog/1?part=2")
      await shows(page, "blog 1 2")
      await page.evaluate(() => {
        const { appRouter } = window as unknown as { appRouter: { push(...args: unknown[]): Promise<boolean> } }
        return appRouter.push("/blog/1?part=3", undefined, { shallow: true })
      })
      await settled(page)
      await route(page, "push", "/journal/3")
      await shows(page, "blog 3")
    },
    story: ["pageload /blog/[slug]", "navigation /blog/[slug] by push", "navigation /blog/[slug] by push"],
  },
  {
    what: "a page that redirects is one navigation, named after its destination",
    from: "/",
    walk: async (page) => {
      await route(page, "push", "/blog/away")
      await shows(page, "shop a-b")
    },
    story: ["pageload /", "navigation /shop/[...path] by push"],
  },
  {
    what: "a page that the edge runtime renders, and back",
    from: "/blog/1",
    walk: async (page) => {
      await route(page, "push", "/edge/1")
      await shows(page, "edge 1")
      await page.goBack()
      await shows(page, "blog 1")
    },
    story: ["pageload /blog/[slug]", "navigation /edge/[what] by push", "navigation /blog/[slug] by traverse"],
  },
  {
    what: "from a page of pages/ to one of app/, which loads a document",
    from: "/",
    walk: async (page) => {
      await page.getByRole("link", { name: "news" }).click()
      await shows(page, "news")
      await waitInPage(page, () => "appRouter" in window)
    },
    story: ["pageload /", "pageload /news"],
  },
]
