import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { runInNewContext } from "node:vm"
import { withSentryConfig } from "@sentry/nextjs/config"
import type { NextConfig } from "next"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest"
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

  test("wraps a function that returns a promise of another realm", async () => {
    const own = () => runInNewContext(`Promise.resolve({ basePath: "/shop" })`) as Promise<NextConfig>
    expect(own()).not.toBeInstanceOf(Promise)
    expectTraced(await withPagespan(own, { projectDirectory })(PHASE, CONTEXT))
  })

  test.each(["download", "https://shop.example/download", "/download?id=1", "/files/*", "/files/:path*", "/a#b"])(
    "ends a build with an error for %s, which is no path for requests without trace headers",
    (path) => {
      const options = { projectDirectory, pathsWithoutTraceHeaders: ["/download", path] }
      expect(() => withPagespan({}, options)).toThrow(`pathsWithoutTraceHeaders: ${path} is not a path`)
    },
  )

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

/** As plugins for translations wrap a configuration: of an object an object, of a function a function, with an alias of its own. */
function withTranslations(config: NextConfig | ConfigFunction): NextConfig | ConfigFunction {
  const extended = (own: NextConfig): NextConfig => ({
    ...own,
    turbopack: { ...own.turbopack, resolveAlias: { ...own.turbopack?.resolveAlias, "next-intl/config": "./i18n.ts" } },
    compiler: { ...own.compiler, define: { ...own.compiler?.define, LOCALES: "en" } },
  })
  if (typeof config !== "function") return extended(config)
  return async (phase, context) => extended(await config(phase, context))
}

describe("in any order with other wrappers", () => {
  type Wrap = (config: NextConfig | ConfigFunction) => NextConfig | ConfigFunction
  const traced: Wrap = (config) => withPagespan(config, { projectDirectory })
  const sentry = withSentryConfig as unknown as Wrap
  const forms: Record<string, NextConfig | ConfigFunction> = {
    "an object": { basePath: "/shop" },
    "a function": () => ({ basePath: "/shop" }),
    "an async function": async () => ({ basePath: "/shop" }),
  }
  const orders: Record<string, Wrap[]> = {
    "Pagespan first": [traced, withTranslations, sentry],
    "Pagespan in the middle": [withTranslations, traced, sentry],
    "Pagespan last": [sentry, withTranslations, traced],
  }
  const cases = Object.keys(forms).flatMap((form) => Object.keys(orders).map((order) => [form, order] as const))

  test.each(cases)("%s is traced and keeps what the others add, %s", async (form, order) => {
    let config = forms[form] ?? {}
    for (const wrap of orders[order] ?? []) config = wrap(config)
    expect(typeof config).toBe(form === "an object" ? "object" : "function")
    const made = typeof config === "function" ? await config(PHASE, CONTEXT) : config
    expectTraced(made)
    expect(made.turbopack?.resolveAlias).toMatchObject({ "next-intl/config": "./i18n.ts" })
    expect(made.compiler?.define).toMatchObject({ LOCALES: "en" })
    expect(made.experimental?.clientTraceMetadata).toEqual(expect.arrayContaining(["traceparent", "pagespan"]))
    // What Sentry's wrapper adds for its own SDK.
    expect(JSON.stringify(made)).toContain("_sentry")
  })
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

describe("output: export", () => {
  const DSN = "https://key@sentry.example/7"

  test("is named once if its pages have nowhere to send to", () => {
    const said = vi.spyOn(console, "warn").mockImplementation(() => undefined)
    for (let count = 0; count < 2; count++) withPagespan({ output: "export" }, { projectDirectory })
    expect(said.mock.calls).toEqual([[expect.stringContaining(`output: "export" has no server`)]])
    said.mockRestore()
  })

  test("warns once of each variable of the build that it cannot use", () => {
    const said = vi.spyOn(console, "warn").mockImplementation(() => undefined)
    vi.stubEnv("SENTRY_DSN", "sentry.example/7")
    vi.stubEnv("OTEL_TRACES_SAMPLER_ARG", "50%")
    vi.stubEnv("PAGESPAN_SPAN", "stream")
    const tunnelRoute = "https://shop.example/monitoring"
    for (let count = 0; count < 2; count++) withPagespan({ output: "export" }, { projectDirectory, tunnelRoute })
    expect(said.mock.calls).toEqual([
      [expect.stringMatching(/^pagespan: SENTRY_DSN is a value that is not shown here: .+; Sentry is off$/)],
      [expect.stringMatching(/^pagespan: OTEL_TRACES_SAMPLER_ARG is "50%": .+; 1 is used$/)],
      ["pagespan: PAGESPAN_SPAN is not a variable of Pagespan: it is ignored"],
    ])
    vi.unstubAllEnvs()
    said.mockRestore()
  })

  test("inlines what a server would send, from the environment of the build", () => {
    const said = vi.spyOn(console, "warn").mockImplementation(() => undefined)
    vi.stubEnv("SENTRY_DSN", DSN)
    vi.stubEnv("OTEL_TRACES_SAMPLER", "traceidratio")
    vi.stubEnv("OTEL_TRACES_SAMPLER_ARG", "0.5")
    // An app without Sentry's packages gets no DSN.
    symlinkSync(resolve("node_modules"), join(projectDirectory, "node_modules"))
    onTestFinished(() => rmSync(join(projectDirectory, "node_modules")))
    const tunnelRoute = "https://shop.example/monitoring"
    const exported = { output: "export", basePath: "/shop" } as const
    expect(factsOf(withPagespan(exported, { projectDirectory })).settings).toMatchObject({ dsn: DSN, sampleRate: 0.5 })
    const facts = factsOf(withPagespan(exported, { projectDirectory, tunnelRoute }))
    expect([facts.settings?.tunnel, facts.tunnel]).toEqual([tunnelRoute, undefined])
    expect(factsOf(withPagespan({ basePath: "/shop" }, { projectDirectory })).settings).toBeUndefined()
    expect(said).not.toHaveBeenCalled()
    vi.unstubAllEnvs()
    said.mockRestore()
  })
})

describe("next dev does not log what pages post to the tunnel", () => {
  const ignoredBy = ({ logging }: NextConfig) =>
    typeof logging === "object" && typeof logging.incomingRequests === "object"
      ? (logging.incomingRequests.ignore ?? [])
      : []
  /** As Next copies a configuration that it has loaded: it keeps getters, and of a regular expression the source. */
  const copyOf = (value: unknown): unknown => {
    if (value instanceof RegExp) return new RegExp(value.source, value.flags)
    if (Array.isArray(value)) return value.map(copyOf)
    if (typeof value !== "object" || value === null) return value
    const copied = Object.entries(Object.getOwnPropertyDescriptors(value)).map(([name, property]) => [
      name,
      property.get === undefined ? { ...property, value: copyOf(property.value) } : property,
    ])
    return Object.defineProperties({}, Object.fromEntries(copied) as PropertyDescriptorMap)
  }
  const isLogged = (config: NextConfig, url: string) =>
    !ignoredBy(copyOf(config) as NextConfig).some((pattern) => pattern.test(url))

  beforeEach(() => void vi.stubEnv("NODE_ENV", "development"))
  afterEach(() => void vi.unstubAllEnvs())

  test.each([
    ["/shop/monitoring", false],
    ["/shop/monitoring/", false],
    ["/shop/monitoring?o=1", false],
    ["/shop/monitoring-board", true],
    ["/shop/monitoring/board", true],
    ["/it/shop/monitoring", true],
    ["/shop", true],
  ])("%s is logged: %s", (url, expected) => {
    expect(isLogged(withPagespan({ basePath: "/shop" }, { projectDirectory }), url)).toBe(expected)
  })

  test("and keeps what the app has set for its log", () => {
    const own = { logging: { fetches: { fullUrl: true }, incomingRequests: { ignore: [/health/] } } }
    const config = withPagespan(own, { projectDirectory })
    expect(config.logging).toMatchObject({ fetches: { fullUrl: true } })
    expect([isLogged(config, "/health"), isLogged(config, "/monitoring")]).toEqual([false, false])
    for (const logging of [false, { incomingRequests: false }] as const)
      expect(withPagespan({ logging }, { projectDirectory }).logging).toEqual(logging)
  })

  test("and changes nothing in a build", () => {
    vi.stubEnv("NODE_ENV", "production")
    expect(withPagespan({}, { projectDirectory, release: false })).not.toHaveProperty("logging")
  })
})
