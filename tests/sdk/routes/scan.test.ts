import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, expect, test } from "vitest"
import { withPagespan } from "#otel/next.ts"
import { hasRouteHandler, scanRoutes } from "#otel/sdk/routes/scan.ts"

const directories: string[] = []

function project(...files: string[]): string {
  const directory = mkdtempSync(join(tmpdir(), "pagespan-routes-"))
  directories.push(directory)
  for (const file of files) {
    mkdirSync(dirname(join(directory, file)), { recursive: true })
    writeFileSync(join(directory, file), "")
  }
  return directory
}

afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true })
})

test("pages are listed in Next's own form, without groups, slots, interceptions and private folders", () => {
  const directory = project(
    "app/page.tsx",
    "app/(group)/about/page.tsx",
    "app/items/[id]/page.jsx",
    "app/docs/[...slug]/page.ts",
    "app/dash/@side/views/page.tsx",
    "app/feed/@modal/(..)photo/[id]/page.tsx",
    "app/_private/page.tsx",
    "app/api/things/route.ts",
    "app/items/[id]/not-a-page.tsx",
  )
  expect(scanRoutes(directory, "page")).toEqual(["/", "/about", "/dash/views", "/docs/[...slug]", "/items/[id]"])
  expect(scanRoutes(directory, "route")).toEqual(["/api/things"])
})

test("routes of a pages folder are listed too, without Next's special files", () => {
  const directory = project(
    "app/page.tsx",
    "pages/_app.tsx",
    "pages/404.tsx",
    "pages/legacy/index.tsx",
    "pages/legacy/[slug].tsx",
    "pages/docs/[[...path]].tsx",
    "pages/api/things/[id].ts",
    "pages/styles.module.css",
  )
  expect(scanRoutes(directory, "page")).toEqual(["/", "/docs/[[...path]]", "/legacy", "/legacy/[slug]"])
  expect(scanRoutes(directory, "route")).toEqual(["/api/things/[id]"])
  expect(scanRoutes(project("src/pages/index.page.tsx"), "page", ["page.tsx"])).toEqual(["/"])
})

test("src/app is found, and pageExtensions apply", () => {
  const directory = project("src/app/page.page.tsx", "src/app/other/page.tsx", "src/app/monitoring/route.tsx")
  expect(scanRoutes(directory, "page", ["page.tsx"])).toEqual(["/"])
  expect(hasRouteHandler(directory, "/monitoring")).toBe(true)
  expect(scanRoutes(project(), "page")).toEqual([])
})

test.each(["https://api.example.com/path", "api.example.com", "https://api.example.com?x=1", "*"])(
  "an origin for trace headers must be valid: %s is refused",
  (origin) => {
    expect(() => withPagespan({}, { projectDirectory: project("app/page.tsx"), traceOrigins: [origin] })).toThrow(
      origin,
    )
  },
)

test("the app's own configuration is unchanged", () => {
  const config = withPagespan(
    { compiler: { define: { MINE: "1" } }, experimental: { clientTraceMetadata: ["mine"] }, trailingSlash: true },
    { projectDirectory: project("app/page.tsx"), traceOrigins: ["https://api.example.com/"] },
  )
  expect(config).toMatchObject({ trailingSlash: true, compiler: { define: { MINE: "1" } } })
  expect(config.experimental?.clientTraceMetadata).toContain("mine")
})
