import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { serverRuntime } from "#otel/sdk/server/runtime.ts"
import { onRequestError, register } from "#otel/server.ts"

/** What the build leaves for `buildManifest`, as Next's `define` does. */
const holder = globalThis as { __PAGESPAN_BUILD__?: string }

const lines: string[] = []

beforeEach(() => {
  vi.stubEnv("NEXT_RUNTIME", "nodejs")
  vi.spyOn(console, "warn").mockImplementation((line: string) => void lines.push(line))
})

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  delete holder.__PAGESPAN_BUILD__
  lines.length = 0
})

const REQUEST = { path: "/", method: "GET", headers: {} }
const CONTEXT = { routerKind: "App Router", routePath: "/", routeType: "render", revalidateReason: undefined } as const

test("a server whose start fails runs on without tracing, and says so once", async () => {
  holder.__PAGESPAN_BUILD__ = "{}"
  await register()
  await register()
  expect(lines).toEqual([
    expect.stringMatching(/^pagespan: tracing of this server failed, and the app continues without it: TypeError: .+/),
  ])
  expect(serverRuntime()).toBeUndefined()
})

test("the report of an error that fails rejects nothing, and says so once", async () => {
  const thrown: unknown = Object.create(null)
  await onRequestError(thrown, REQUEST, CONTEXT)
  await onRequestError(thrown, REQUEST, CONTEXT)
  expect(lines).toEqual([expect.stringMatching(/^pagespan: the report of an error that Next caught failed, .+/)])
})

test("a part of the SDK that fails is left out, and the others start", async () => {
  holder.__PAGESPAN_BUILD__ = "{"
  await register()
  expect(lines).toEqual([expect.stringMatching(/^pagespan: reading the build.s routes failed, .+ SyntaxError: /)])
  expect(serverRuntime()?.pageSettings).toMatchObject({ service: "unknown_service-browser" })
})
