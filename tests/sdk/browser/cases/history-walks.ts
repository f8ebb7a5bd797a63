import type { Page } from "playwright-core"
import { isIdle, settled, shows } from "../visit.ts"
import { addressOf } from "./builds.ts"
import { hasQuery, press, type Walk } from "./walks.ts"

/**
 * Changes the history as the app or the visitor does. Resolves when Next has written the state of the entry, which it does as it
 * commits: it cancels a traversal that starts earlier.
 */
function changeHistory(
  page: Page,
  change: readonly ["go", number] | readonly ["pushState" | "replaceState", string],
): Promise<void> {
  return page.evaluate(
    ([method, to]) =>
      new Promise<void>((resolve) => {
        if (method === "go") history.go(to)
        else history[method](null, "", to)
        const { navigation } = window as unknown as { navigation: EventTarget }
        navigation.addEventListener("currententrychange", function onChange(event) {
          if ((event as Event & { navigationType: string }).navigationType !== "replace") return
          navigation.removeEventListener("currententrychange", onChange)
          resolve()
        })
      }),
    change,
  )
}

/** What the app itself writes into the history, without the router. */
export const historyWalks: readonly Walk[] = [
  {
    what: "a query that the app writes into the history before it asks the router for it is a navigation",
    from: "/items/1",
    needsIdle: true,
    walk: async (page) => {
      await isIdle(page)
      const answered = page.waitForResponse((response) => response.request().headers()["rsc"] !== undefined)
      await page.evaluate(() => {
        history.pushState(null, "", "?page=2")
        ;(window as unknown as { appRouter: { replace(href: string): void } }).appRouter.replace("?page=2")
      })
      await answered
      await settled(page)
      await press(page, "/static")
      await shows(page, "static")
    },
    story: ["pageload /items/[id]", "navigation /items/[id] by replace", "navigation /static by push"],
  },
  {
    what: "a shallow pushState is no navigation",
    from: "/items/1",
    needsNavigationApi: true,
    walk: async (page, build) => {
      await changeHistory(page, ["pushState", addressOf(build, "/items/1/shallow")])
      await changeHistory(page, ["go", -1])
      await settled(page)
    },
    story: ["pageload /items/[id]"],
  },
  {
    what: "a query that the app itself writes into the history is no navigation, nor are back and forward over it",
    from: "/static",
    needsNavigationApi: true,
    needsIdle: true,
    walk: async (page) => {
      await isIdle(page)
      await changeHistory(page, ["replaceState", "?tab=1"])
      await changeHistory(page, ["pushState", "?tab=2"])
      await changeHistory(page, ["pushState", "?tab=3"])
      for (const [by, query] of [
        [-1, "?tab=2"],
        [-1, "?tab=1"],
        [2, "?tab=3"],
      ] as const) {
        await changeHistory(page, ["go", by])
        await hasQuery(page, query)
      }
    },
    story: ["pageload /static"],
  },
  {
    what: "back to an entry that the app itself wrote is a navigation from another page, and none from the same",
    from: "/items/1",
    needsNavigationApi: true,
    needsIdle: true,
    walk: async (page) => {
      await isIdle(page)
      await changeHistory(page, ["pushState", "?tab=2"])
      await press(page, "/static")
      await shows(page, "static")
      await page.evaluate(() => history.back())
      await shows(page, "item 1")
      await page.evaluate(() => history.back())
      await hasQuery(page, "")
    },
    story: ["pageload /items/[id]", "navigation /static by push", "navigation /items/[id] by traverse"],
  },
]
