import { join } from "node:path"
import { beforeAll, describe, expect, test } from "vitest"
import { type AppComparison, compareApp } from "#tests/apps/compare-app.ts"

/** One app, with Pagespan and without, in the same browser: the same pages, the same console, and a root for each view. */

describe("an app that init adopted, beside the same app without Pagespan", () => {
  let comparison: AppComparison

  beforeAll(async () => {
    comparison = await compareApp({
      directory: join(import.meta.dirname, "apps/compared"),
      bundler: "turbopack",
      loads: ["/", "/team", "/items/7?from=mail", "/no-such-page"],
      links: 4,
      endToEnd: "node end-to-end.mjs",
    })
  }, 900_000)

  test("leaves nothing to its owner", () => {
    expect(comparison.left).toEqual([])
  })

  test("shows the same HTML and the same documents", () => {
    expect(comparison.html).toMatchObject({ wrong: [], right: comparison.html.of })
    expect(comparison.html.of).toBeGreaterThan(20)
  })

  test("says the same in the console", () => {
    expect(comparison.console.wrong).toEqual([])
    expect(comparison.console.of).toBeGreaterThan(1)
  })

  test("names each root by the route that Next's router shows", () => {
    expect(comparison.names.wrong).toEqual([])
    expect(comparison.names.of).toBeGreaterThan(10)
  })

  test("has one trace for each page and the server that rendered it", () => {
    expect(comparison.traces.wrong).toEqual([])
    expect(comparison.traces.of).toBeGreaterThan(5)
  })

  test("reports each error once, on the trace of its page or request", () => {
    expect(comparison.errors.wrong).toEqual([])
  })

  test("passes its own end-to-end tests as often as before", () => {
    const { without, adopted } = comparison.endToEnd!
    expect(adopted).toMatchObject({ passed: 4, failed: 0 })
    expect(without).toMatchObject({ passed: 4, failed: 0 })
  })
})
