import { expect, test } from "vitest"
import { createRouteMatcher } from "#otel/sdk/routes/matcher.ts"

const PATTERNS = [
  "/",
  "/items/[id]",
  "/items/new",
  "/docs",
  "/docs/[...slug]",
  "/help/[[...path]]",
  "/[locale]/hello",
  "/about",
  "/über",
  "/shop/[shop]/items/[item]",
  "/shop/[shop]/items/all",
]

test.each([
  ["/", "/"],
  ["", "/"],
  ["/about", "/about"],
  ["/about/", "/about"],
  ["/items/1", "/items/[id]"],
  ["/items/new", "/items/new"],
  ["/items/ne%77", "/items/new"],
  ["/items/a%2Fb", "/items/[id]"],
  ["/items/%", "/items/[id]"],
  ["/items/1/2", undefined],
  ["/docs", "/docs"],
  ["/docs/a", "/docs/[...slug]"],
  ["/docs/a/b/c", "/docs/[...slug]"],
  ["/help", "/help/[[...path]]"],
  ["/help/a/b", "/help/[[...path]]"],
  ["/fr/hello", "/[locale]/hello"],
  ["/%C3%BCber", "/über"],
  ["/shop/1/items/2", "/shop/[shop]/items/[item]"],
  ["/shop/1/items/all", "/shop/[shop]/items/all"],
  ["/nothing", undefined],
  ["/ITEMS/1", undefined],
])("the path %s is served by %s", (path, pattern) => {
  expect(createRouteMatcher(PATTERNS).matchPath(path)).toBe(pattern)
})

test.each([
  ["/app", "/"],
  ["/app/items/1", "/items/[id]"],
  ["/application", undefined],
  ["/items/1", undefined],
])("below the base path /app, %s is served by %s", (path, pattern) => {
  expect(createRouteMatcher(PATTERNS, "/app").matchPath(path)).toBe(pattern)
})

test.each([
  ["/", "/"],
  ["/items/[id]", "/items/[id]"],
  ["/items/new", "/items/new"],
  ["/docs/[...slug]", "/docs/[...slug]"],
  ["/help/[[...path]]", "/help/[[...path]]"],
  ["/%C3%BCber", "/über"],
  ["/about/__DEFAULT__", undefined],
  ["/feed/(..)items/[id]", undefined],
])("the router's tree %s shows %s", (shown, pattern) => {
  expect(createRouteMatcher(PATTERNS).matchTree(shown)).toBe(pattern)
})
