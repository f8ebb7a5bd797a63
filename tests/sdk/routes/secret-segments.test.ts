import { describe, expect, test } from "vitest"
import { createRouteMatcher } from "#otel/sdk/routes/matcher.ts"
import { secretSegments } from "#otel/sdk/routes/secret-segments.ts"

const ROUTES = [
  "/[locale]/invite/[inviteToken]/[step]",
  "/items/[id]",
  "/reset/[token]",
  "/files/[key]/[...path]",
  "/magic/[...token]",
  "/login/[[...code]]",
  "/team/[key]/[token]/[...path]",
]

function publicPath(path: string, route?: string, basePath = ""): string {
  const secrets = Object.fromEntries(ROUTES.map((each) => [each, secretSegments(each, basePath)]))
  return createRouteMatcher(ROUTES, basePath, secrets).publicPath(path, route)
}

describe("a path", () => {
  test.each([
    ["/reset/6f3a", "/reset/[Filtered]"],
    ["/reset/6f3a/", "/reset/[Filtered]"],
    ["/reset/6f%2F3a", "/reset/[Filtered]"],
    ["/en/invite/6f3a/2", "/en/invite/[Filtered]/2"],
    ["/magic/a/b/c", "/magic/[Filtered]"],
    ["/login", "/login"],
    ["/login/4f3c2a/", "/login/[Filtered]"],
    ["/files/4f3c2a/b/c", "/files/[Filtered]"],
    ["/files/a-quiet-harbor-in-may/b", "/files/[Filtered]"],
    ["/team/a/4f3c2a/b", "/team/a/[Filtered]"],
  ])("has no value of a parameter that is secret by its name: %s is %s", (path, expected) => {
    expect(publicPath(path)).toBe(expected)
    expect(publicPath(expected)).toBe(expected)
    expect(publicPath(`/base${path}`, undefined, "/base")).toBe(`/base${expected}`)
  })

  test.each([
    "/",
    "/items/6f3a4f3c2a",
    "/reset",
    "/elsewhere/6f3a",
    "//",
    "/items/6f3a/",
    "/login/404",
    "/files/readme/b",
  ])("%s has none, and stays", (path) => {
    expect(publicPath(path)).toBe(path)
  })

  test.each([
    ["/invite/6f3a/2", "/[locale]/invite/[inviteToken]/[step]", "/invite/[Filtered]/2"],
    ["/r/6f3a", "/reset/[token]", "/r/[Filtered]"],
    ["/reset/6f3a", "/_not-found", "/reset/[Filtered]"],
    ["/2", "/[locale]/invite/[inviteToken]/[step]", "/2"],
  ])("that a rewrite serves has none either: %s by %s is %s", (path, route, expected) => {
    expect(publicPath(path, route)).toBe(expected)
  })
})
