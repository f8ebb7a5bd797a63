import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { withSentryConfig } from "@sentry/nextjs/config"
import type { NextConfig } from "next"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { type ConfigFunction, withPagespan } from "#otel/next.ts"
import { readSdkConfig } from "#otel/sdk/config.ts"
import { BUILD_MANIFEST_DEFINE, type BuildManifest } from "#otel/sdk/routes/build-manifest.ts"
import { pageSettings } from "#otel/sdk/server/page-settings.ts"

const PHASE = "phase-production-build"
const CONTEXT = { defaultConfig: {} }
let projectDirectory: string

beforeAll(() => {
  projectDirectory = mkdtempSync(join(tmpdir(), "pagespan-next-"))
  for (const file of ["app/page.tsx", "app/monitoring/route.ts", "app/relay/route.ts"]) {
    mkdirSync(dirname(join(projectDirectory, file)), { recursive: true })
    writeFileSync(join(projectDirectory, file), "")
  }
})

afterAll(() => rmSync(projectDirectory, { recursive: true }))

function factsOf(config: NextConfig): BuildManifest {
  return JSON.parse(String(config.compiler?.define?.[BUILD_MANIFEST_DEFINE])) as BuildManifest
}

/** Expects a traced configuration that is otherwise the app's own. */
function expectTraced(config: NextConfig): void {
  expect(config).toMatchObject({ basePath: "/shop" })
  expect(config.instrumentationClientInject).toContain("pagespan/browser")
  expect(factsOf(config)).toMatchObject({ basePath: "/shop", tunnel: "/monitoring" })
}

describe("withPagespan", () => {
  test("wraps a function and passes it phase and defaults", () => {
    const own = vi.fn<ConfigFunction<NextConfig>>(() => ({ basePath: "/shop" }))
    const config: NextConfig = withPagespan(own, { projectDirectory })(PHASE, CONTEXT)
    expect(own.mock.calls).toEqual([[PHASE, CONTEXT]])
    expectTraced(config)
  })

  test("wraps an async function", async () => {
    const made: Promise<NextConfig> = withPagespan(async () => ({ basePath: "/shop" }), { projectDirectory })(
      PHASE,
      CONTEXT,
    )
    expect(made).toBeInstanceOf(Promise)
    expectTraced(await made)
  })

  test.each<[what: string, wrap: (config: () => Promise<NextConfig>) => unknown]>([
    ["within Sentry's wrapper", (config) => withSentryConfig(withPagespan(config, { projectDirectory }))],
    ["around Sentry's wrapper", (config) => withPagespan(withSentryConfig(config), { projectDirectory })],
  ])("keeps an async function async %s", async (_, wrap) => {
    const wrapped = wrap(async () => ({ basePath: "/shop" }))
    expect(wrapped).toBeTypeOf("function")
    expectTraced(await (wrapped as (phase: string, context: object) => Promise<NextConfig>)(PHASE, CONTEXT))
  })

  test("ends a build with an error that names the invalid option, in every form", async () => {
    const options = { projectDirectory, traceOrigins: ["api.example.com"] }
    const message = "traceOrigins: api.example.com is not an origin"
    expect(() => withPagespan({}, options)).toThrow(message)
    expect(() => withPagespan(() => ({}), options)(PHASE, CONTEXT)).toThrow(message)
    await expect(withPagespan(async () => ({}), options)(PHASE, CONTEXT)).rejects.toThrow(message)
  })

  test.each([undefined, true, false])(
    "does not change the app's skipTrailingSlashRedirect: %s",
    (skipTrailingSlashRedirect) => {
      const own = skipTrailingSlashRedirect === undefined ? {} : { skipTrailingSlashRedirect }
      expect(withPagespan(own, { projectDirectory }).skipTrailingSlashRedirect).toBe(skipTrailingSlashRedirect)
    },
  )
})

describe("the URL that a page posts to needs no redirect", () => {
  test.each([
    [{}, undefined, "/monitoring"],
    [{ trailingSlash: true }, undefined, "/monitoring/"],
    [{ trailingSlash: true, basePath: "/shop" }, undefined, "/shop/monitoring/"],
    [{ trailingSlash: true }, "/relay", "/relay/"],
    [{}, "/relay/", "/relay"],
    // Not a route handler of the app, so its own server decides on the slash.
    [{ trailingSlash: true }, "/elsewhere", "/elsewhere"],
    [{}, "/elsewhere/", "/elsewhere/"],
  ])("with %o and PAGESPAN_TUNNEL %s, and is %s", (own, given, tunnel) => {
    const facts = factsOf(withPagespan(own, { projectDirectory }))
    const { config } = readSdkConfig({ PAGESPAN_TUNNEL: given })
    expect(pageSettings(config, facts, false).tunnel).toBe(tunnel)
  })

  test("even if the option names the route with a trailing slash", () => {
    const options = { projectDirectory, tunnelRoute: "/relay/" }
    expect(factsOf(withPagespan({}, options)).tunnel).toBe("/relay")
    expect(factsOf(withPagespan({ trailingSlash: true }, options)).tunnel).toBe("/relay/")
  })
})
