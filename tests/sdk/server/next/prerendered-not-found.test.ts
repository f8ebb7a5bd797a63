import { beforeAll, expect, test } from "vitest"
import { type CachedApp, cachedApp } from "./cached-app.ts"

const running = cachedApp()
let app: CachedApp["app"]
let collector: CachedApp["collector"]
beforeAll(() => {
  ;({ app, collector } = running())
})

async function requestOf(path: string) {
  const response = await fetch(`${app.origin}${path}`)
  await response.text()
  const span = await collector.waitForSpan(`of ${path}`, ({ attributes }) => attributes.get("http.target") === path)
  return [response.status, span.name, span.attributes.get("http.route")]
}

test("a request that ends with a prerendered 404 page is named by its route, not by its method alone", async () => {
  expect(await requestOf("/nowhere/7")).toEqual([404, "GET /_not-found", "/_not-found"])
})
