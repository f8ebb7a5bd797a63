import { context, propagation, trace, type TracerProvider } from "@opentelemetry/api"
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node"
import type { Client } from "@sentry/core"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { adoptExistingClient, warnOfExistingSdk } from "#otel/sdk/server/existing-sdk.ts"

const said: string[] = []

beforeEach(() => {
  said.length = 0
  vi.spyOn(console, "warn").mockImplementation((line: string) => void said.push(line))
})

afterEach(() => {
  vi.restoreAllMocks()
  for (const api of [trace, context, propagation]) api.disable()
})

function clientWith(options: object, traceProvider?: TracerProvider): Client {
  return { getOptions: () => options, traceProvider } as unknown as Client
}

describe("an OpenTelemetry SDK that was registered first", () => {
  test("causes one warning that says where to look", () => {
    new NodeTracerProvider().register()
    const ours = new NodeTracerProvider()
    ours.register()
    warnOfExistingSdk(ours)
    expect(said).toHaveLength(1)
    expect(said[0]).toContain("pagespan: another OpenTelemetry SDK was registered first")
    expect(said[0]).toContain("npm ls @opentelemetry/api")
  })

  test("is not reported if it is ours", () => {
    const ours = new NodeTracerProvider()
    ours.register()
    warnOfExistingSdk(ours)
    expect(said).toEqual([])
  })
})

describe("the app's own Sentry client", () => {
  test("has its OpenTelemetry globals unregistered, without a warning if its tracing is off", () => {
    const its = new NodeTracerProvider()
    its.register()
    adoptExistingClient(clientWith({}, its))
    const ours = new NodeTracerProvider()
    ours.register()
    warnOfExistingSdk(ours)
    expect(said).toEqual([])
  })

  test("does not lead to the unregistration of an SDK of the app's own", () => {
    const theirs = new NodeTracerProvider()
    theirs.register()
    adoptExistingClient(clientWith({}))
    const ours = new NodeTracerProvider()
    ours.register()
    warnOfExistingSdk(ours)
    expect(said).toHaveLength(1)
  })

  test("causes a warning if its tracing is on", () => {
    adoptExistingClient(clientWith({ tracesSampleRate: 0 }))
    expect(said).toEqual([expect.stringContaining("Sentry's own tracing is on too")])
  })
})
