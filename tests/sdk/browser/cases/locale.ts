import { endRoot, isIdle, settled, shows } from "../visit.ts"
import type { Walk } from "./walks.ts"

/**
 * Cases of the app `locale`: its root layouts stand in `app/[locale]` and in a group, and its proxy translates paths. French
 * pages and `/admin` have no route observer.
 */

/** Page loads: the case, the URL, and the route that names the root. */
export const localeLoads = [
  ["a root layout below a parameter", "/en", "/[locale]"],
  ["a page below it", "/en/pathnames", "/[locale]/pathnames"],
  ["a parameter below it", "/en/news/7", "/[locale]/news/[id]"],
  ["a translated path", "/de/pfadnamen", "/[locale]/pathnames"],
  ["a path without its locale, which is redirected", "/pathnames", "/[locale]/pathnames"],
  ["a path that only the catch-all serves", "/en/unknown", "/[locale]/[...rest]"],
  ["a page without an observer", "/fr/news/7", "/[locale]/news/[id]"],
  ["a translated path without an observer", "/fr/pfadnamen", "/[locale]/pathnames"],
  ["another root layout, in a group, without an observer", "/admin", "/admin"],
  ["an observer deep below the root layout", "/admin/users/7", "/admin/users/[id]"],
] as const

export const localeWalks: readonly Walk[] = [
  {
    what: "a translated path, and back",
    from: "/de/news/1",
    walk: async (page) => {
      await page.getByRole("link", { name: "pfadnamen" }).click()
      await shows(page, "pathnames de")
      await page.goBack()
      await shows(page, "news 1")
    },
    story: [
      "pageload /[locale]/news/[id]",
      "navigation /[locale]/pathnames by push",
      "navigation /[locale]/news/[id] by traverse",
    ],
  },
  {
    what: "a translated path, and back, without an observer",
    from: "/fr/news/1",
    walk: async (page) => {
      await isIdle(page)
      await page.getByRole("link", { name: "pfadnamen" }).click()
      await shows(page, "pathnames fr")
      await page.goBack()
      await shows(page, "news 1")
    },
    story: [
      "pageload /[locale]/news/[id]",
      "navigation /[locale]/pathnames by push",
      "navigation /[locale]/news/[id] by traverse",
    ],
  },
  {
    what: "a page that the observer's layout does not hold, and back",
    from: "/admin",
    walk: async (page) => {
      await isIdle(page)
      await page.getByRole("link", { name: "user" }).click()
      await shows(page, "user 7")
      await page.goBack()
      await shows(page, "admin")
    },
    story: ["pageload /admin", "navigation /admin/users/[id] by push", "navigation /admin by traverse"],
  },
  {
    what: "another root layout, which loads a document",
    from: "/de/news/1",
    walk: async (page) => {
      await endRoot(page)
      await page.goto(new URL("/admin/users/7", page.url()).href)
      await shows(page, "user 7")
      await settled(page)
    },
    story: ["pageload /[locale]/news/[id]", "pageload /admin/users/[id]"],
  },
]
