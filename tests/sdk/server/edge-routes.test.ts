import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { expect, test } from "vitest"
import { EdgeRoutes } from "#otel/sdk/server/edge.ts"

const routes = ["/", "/edge/[what]", "/index/about"]

function routeOf(target: string, basePath = ""): string | undefined {
  const attributes = { "next.span_type": "BaseServer.handleRequest", "http.method": "GET", "http.target": target }
  const root = { name: "GET", attributes } as unknown as ReadableSpan
  return new EdgeRoutes({ routes, handlers: ["/api/[id]"], basePath }).of(root)
}

test.each([
  ["/edge/7?token=hunter2", "", "/edge/[what]"],
  ["/edge/x.json", "", "/edge/[what]"],
  ["/api/7", "", "/api/[id]"],
  ["/_next/data/build/edge/7.json?what=7", "", "/edge/[what]"],
  ["/_next/data/build/index.json", "", "/"],
  ["/_next/data/build/index/about.json", "", "/index/about"],
  ["/app/_next/data/build/edge/7.json", "/app", "/edge/[what]"],
  ["/app/_next/data/build/index.json", "/app", "/"],
  ["/_next/data/build", "", undefined],
  ["/_next/data/", "", undefined],
  ["/nowhere/7", "", undefined],
])("a request of the edge runtime for %s, with the base path '%s', has the route %s", (target, basePath, route) => {
  expect(routeOf(target, basePath)).toBe(route)
})
