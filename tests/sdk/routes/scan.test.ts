import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, expect, test } from "vitest"
import { withPagespan } from "#otel/next.ts"
import { scanRoutes } from "#otel/sdk/routes/scan.ts"

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

test("src/app is found, and pageExtensions apply", () => {
  const directory = project("src/app/page.page.tsx", "src/app/other/page.tsx", "src/app/monitoring/route.tsx")
  expect(scanRoutes(directory, "page", ["page.tsx"])).toEqual(["/"])
  expect(scanRoutes(directory, "route")).toEqual(["/monitoring"])
  expect(scanRoutes(project(), "page")).toEqual([])
})

test("files of the pages folder are listed beside those of app, without the special ones", () => {
  const directory = project(
    "src/app/[locale]/page.tsx",
    "src/pages/_app.tsx",
    "src/pages/_document.tsx",
    "src/pages/_error.jsx",
    "src/pages/404.tsx",
    "src/pages/500.tsx",
    "src/pages/shop/index.tsx",
    "src/pages/[locale]/about.tsx",
    "src/pages/docs/[[...slug]].js",
    "src/pages/types.d.ts",
    "src/pages/shop/shop.module.css",
    "src/pages/api/orders/[id].ts",
    "src/pages/apiary.tsx",
  )
  expect(scanRoutes(directory, "page")).toEqual([
    "/[locale]",
    "/[locale]/about",
    "/apiary",
    "/docs/[[...slug]]",
    "/shop",
  ])
  expect(scanRoutes(directory, "route")).toEqual(["/api/orders/[id]"])
})

test("pages without an app folder are listed, and pageExtensions apply to them", () => {
  const directory = project(
    "pages/index.page.tsx",
    "pages/help.page.tsx",
    "pages/help.test.tsx",
    "pages/api/index.page.ts",
  )
  expect(scanRoutes(directory, "page", ["page.tsx", "page.ts"])).toEqual(["/", "/help"])
  expect(scanRoutes(directory, "route", ["page.tsx", "page.ts"])).toEqual(["/api"])
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

test("linked folders and files are followed, as by Next, and links that lead nowhere or around are not", () => {
  const directory = project(
    "app/page.tsx",
    "shared/help/[topic]/page.tsx",
    "shared/page.tsx",
    "pages/old.tsx",
    "shared/pages/a.tsx",
  )
  symlinkSync("../shared/help", join(directory, "app/help"))
  mkdirSync(join(directory, "app/linked"))
  symlinkSync("../../shared/page.tsx", join(directory, "app/linked/page.tsx"))
  symlinkSync("../shared/pages", join(directory, "pages/more"))
  symlinkSync("nowhere", join(directory, "app/lost"))
  symlinkSync("itself", join(directory, "app/itself"))
  symlinkSync("..", join(directory, "app/linked/around"))
  expect(scanRoutes(directory, "page")).toEqual(["/", "/help/[topic]", "/linked", "/more/a", "/old"])
})
