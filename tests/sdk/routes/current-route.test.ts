import { expect, test } from "vitest"
import { routeParams } from "#otel/sdk/routes/current-route.ts"

test.each([
  ["/", "/", {}],
  ["/items/[id]", "/items/1", { id: "1" }],
  ["/items/[id]", "/items/a%2Fb", { id: "a/b" }],
  ["/items/[id]", "/items/%E6%97%A5/", { id: "日" }],
  ["/items/[id]", "/items/100%", { id: "100%" }],
  ["/docs/[...slug]", "/docs/a/b%20c", { slug: ["a", "b c"] }],
  ["/help/[[...path]]", "/help", {}],
  ["/help/[[...path]]", "/help/a", { path: ["a"] }],
  ["/[locale]/news/[id]", "/de/news/7", { locale: "de", id: "7" }],
  ["/h%C3%A9/[id]", "/hé/7", { id: "7" }],
])("the parameters of %s in %s", (route, path, params) => {
  expect(routeParams(route, path)).toEqual(params)
})

test.each([
  ["/items/[id]", "/items"],
  ["/items/[id]", "/items/1/more"],
  ["/items/[id]", "/t/1"],
  ["/docs/[...slug]", "/docs"],
])("a path that %s does not match has none: %s", (route, path) => {
  expect(routeParams(route, path)).toBeUndefined()
})
