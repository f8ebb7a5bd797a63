import { trace } from "@opentelemetry/api"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { serverRuntime } from "#otel/sdk/server/runtime.ts"
import { onRequestError, register } from "#otel/server.ts"

/** The build manifest, as Next's `compiler.define` inlines it. */
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

test("a server whose start fails runs without tracing and warns once", async () => {
  holder.__PAGESPAN_BUILD__ = "{}"
  await register()
  await register()
  expect(lines).toEqual([
    expect.stringMatching(/^pagespan: tracing of this server failed, and the app continues without it: TypeError: .+/),
  ])
  expect(serverRuntime()).toBeUndefined()
})

test("onRequestError never rejects, and warns once if the report fails", async () => {
  vi.spyOn(trace, "getActiveSpan").mockImplementation(() => {
    throw new TypeError("no span")
  })
  const thrown = new Error("boom")
  await onRequestError(thrown, REQUEST, CONTEXT)
  await onRequestError(thrown, REQUEST, CONTEXT)
  expect(lines).toEqual([expect.stringMatching(/^pagespan: the report of an error that Next caught failed, .+/)])
})

test("the SDK starts without a part that fails", async () => {
  holder.__PAGESPAN_BUILD__ = "{"
  await register()
  expect(lines).toEqual([expect.stringMatching(/^pagespan: reading the build.s routes failed, .+ SyntaxError: /)])
  expect(serverRuntime()?.pageSettings).toMatchObject({ service: "unknown_service-browser" })
})
