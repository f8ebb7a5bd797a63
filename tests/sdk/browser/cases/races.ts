import type { Page } from "playwright-core"
import { settled, shows, waitInPage } from "../visit.ts"
import type { Walk } from "./walks.ts"

/** Navigations that overlap: the cases of Next's own tests of its router's hooks. They run on one build. */

/** Runs in the page, in one task. */
type InOneTask = (router: Record<"push" | "refresh", (href?: string) => void>, save: (how: string) => unknown) => void

async function inOneTask(page: Page, work: InOneTask): Promise<void> {
  await page.evaluate(`(${String(work)})(window.appRouter, (how) => void window.save(how).catch(() => undefined))`)
}

export const races: readonly Walk[] = [
  {
    what: "three pushes in one task are three navigations, of which the last is shown",
    from: "/static",
    walk: async (page) => {
      await inOneTask(page, (router) => {
        for (const href of ["/items/1", "/docs/a/b", "/about"]) router.push(href)
      })
      await shows(page, "about")
    },
    story: [
      "pageload /static",
      "navigation /items/[id] by push",
      "navigation /docs/[...slug] by push",
      "navigation /about by push",
    ],
    says: { 1: { "pagespan.end_reason": "superseded" }, 2: { "pagespan.end_reason": "superseded" } },
  },
  {
    what: "two pushes of the page that is shown are no navigation",
    from: "/static",
    walk: async (page) => {
      await inOneTask(page, (router) => {
        for (const href of ["/static", "/static"]) router.push(href)
      })
      await settled(page)
    },
    story: ["pageload /static"],
  },
  {
    what: "a slow link that is clicked three times is one navigation",
    from: "/static",
    walk: async (page) => {
      const link = page.getByRole("link", { name: "/slow", exact: true })
      for (let click = 0; click < 3; click++) await link.click()
      await shows(page, "slow")
    },
    story: ["pageload /static", "navigation /slow by push"],
  },
  {
    what: "a push and a refresh in one task are one navigation",
    from: "/static",
    walk: async (page) => {
      await inOneTask(page, (router) => {
        router.push("/docs/a/b")
        router.refresh()
      })
      await shows(page, "docs")
    },
    story: ["pageload /static", "navigation /docs/[...slug] by push"],
  },
  {
    what: "a push to a slow page, and back in the same task",
    from: "/static",
    walk: async (page) => {
      await page.getByRole("link", { name: "/items/1", exact: true }).click()
      await shows(page, "item 1")
      await inOneTask(page, (router) => {
        router.push("/slow")
        history.back()
      })
      await shows(page, "static")
    },
    story: [
      "pageload /static",
      "navigation /items/[id] by push",
      "navigation /slow by push",
      "navigation /static by traverse",
    ],
    says: { 2: { "pagespan.end_reason": "superseded" } },
  },
  {
    what: "a push, and a server action that revalidates, in one task are one navigation",
    from: "/where/1",
    walk: async (page) => {
      await waitInPage(page, () => "save" in window)
      await inOneTask(page, (router, save) => {
        router.push("/docs/a/b")
        save("revalidate")
      })
      await shows(page, "docs")
      await settled(page)
    },
    story: ["pageload /where/[id]", "navigation /docs/[...slug] by push"],
  },
  {
    what: "a push, and a server action that redirects, in one task are one navigation, named after its end",
    from: "/where/1",
    walk: async (page) => {
      await waitInPage(page, () => "save" in window)
      await inOneTask(page, (router, save) => {
        router.push("/docs/a/b")
        save("leave")
      })
      await shows(page, "item 5")
    },
    story: ["pageload /where/[id]", "navigation /items/[id] by push"],
  },
  {
    what: "a push, and one to an address that nothing serves, in one task end in a load of the 404 page",
    from: "/static",
    walk: async (page) => {
      await inOneTask(page, (router) => {
        router.push("/items/1")
        router.push("/no/such/page")
      })
      await shows(page, "404")
      await waitInPage(page, () => "appRouter" in window)
    },
    story: [
      "pageload /static",
      "navigation /items/[id] by push",
      "navigation unmatched by push",
      "pageload /_not-found",
    ],
  },
  {
    what: "an address that only a slot has",
    from: "/dash",
    walk: async (page) => {
      await inOneTask(page, (router) => router.push("/dash/views"))
      await waitInPage(page, () => location.pathname.replace(/\/$/, "").endsWith("/dash/views"))
      await settled(page)
    },
    story: ["pageload /dash", "navigation /dash/views by push"],
  },
]
