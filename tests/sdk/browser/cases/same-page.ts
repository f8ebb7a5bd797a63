import { settled, shows } from "../visit.ts"
import type { Walk } from "./walks.ts"

/** Links and calls of the router that lead to the address of the page itself. */
export const samePage: readonly Walk[] = [
  {
    what: "a link to the page itself is a navigation, for which the router asks the server again",
    from: "/static",
    walk: async (page) => {
      const press = (link: string) => page.getByRole("link", { name: link, exact: true }).click()
      // Sooner it would be the second click of a double one.
      await page.waitForTimeout(1_100)
      const asked = page.waitForResponse((response) => response.request().headers()["rsc"] === "1")
      await press("/static")
      await asked
      await settled(page)
      await press("/items/1")
      await shows(page, "item 1")
    },
    story: ["pageload /static", "navigation /static by push", "navigation /items/[id] by push"],
    says: { 1: { "navigation.from": "/static" } },
  },
]
