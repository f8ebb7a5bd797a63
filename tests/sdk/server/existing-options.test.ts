import { context, propagation, trace } from "@opentelemetry/api"
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node"
import * as Sentry from "@sentry/nextjs"
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest"
import { existingOptions } from "#otel/sdk/server/existing-sdk.ts"
import { serverParts } from "#otel/sdk/server/server-parts.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"

/** What a server takes from a `Sentry.init` of its app that has run before it starts. */

let sentry: RecordingSentry

beforeEach(async () => {
  vi.stubEnv("NEXT_RUNTIME", "nodejs")
  sentry = await new RecordingSentry().listen()
})

afterEach(async () => {
  await Sentry.close()
  // Otherwise the next `Sentry.init` does nothing.
  Sentry.getCurrentScope().setClient(undefined)
  await sentry.close()
  vi.unstubAllEnvs()
})

function settings(environment: Record<string, string> = {}) {
  return serverParts(environment, { isJoined: false, exportsSpans: false })?.settings()
}

test("pages get DSN, release and environment of the app's own Sentry.init, which variables override", () => {
  Sentry.init({ dsn: sentry.dsn, release: "own@1", environment: "own", enableOpenTelemetrySetup: false })
  expect(settings()).toMatchObject({ dsn: sentry.dsn, release: "own@1", environment: "own" })
  const given = { SENTRY_DSN: "https://key@sentry.test/1", SENTRY_RELEASE: "given@1", SENTRY_ENVIRONMENT: "given" }
  expect(settings(given)).toMatchObject({ dsn: given.SENTRY_DSN, release: "given@1", environment: "given" })
})

const SILENT = [
  { what: "is disabled", options: { enabled: false } },
  { what: "has no DSN", options: { dsn: "" } },
]

test.each(SILENT)("a Sentry.init that $what turns Sentry on for nobody", ({ options }) => {
  Sentry.init({ dsn: sentry.dsn, enableOpenTelemetrySetup: false, ...options })
  expect(existingOptions()).toEqual({})
  expect(settings()).not.toHaveProperty("dsn")
})

test.each(SILENT)(
  "a Sentry.init that $what leaves Next's spans to Pagespan, for collector and inspector",
  ({ options }) => {
    onTestFinished(() => [trace, context, propagation].forEach((api) => api.disable()))
    Sentry.init({ dsn: sentry.dsn, ...options })
    expect(settings()).toBeDefined()
    // The API refuses a second registration.
    expect(trace.setGlobalTracerProvider(new NodeTracerProvider())).toBe(true)
  },
)
