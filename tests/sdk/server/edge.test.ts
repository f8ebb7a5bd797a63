import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest"
import { onRequestError } from "#otel/server.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"

let sentry: RecordingSentry

beforeAll(async () => {
  sentry = await new RecordingSentry().listen()
})

afterAll(async () => {
  vi.unstubAllEnvs()
  await sentry?.close()
})

beforeEach(() => {
  vi.stubEnv("NEXT_RUNTIME", "edge")
  vi.stubEnv("SENTRY_DSN", sentry.dsn)
})

/** Reports an error as Next does in the edge runtime. */
async function report(message: string): Promise<void> {
  await onRequestError(
    new Error(message),
    { path: "/items/7", method: "GET", headers: {} },
    { routerKind: "App Router", routePath: "/items/[id]", routeType: "render", revalidateReason: undefined },
  )
}

test("OTEL_SDK_DISABLED turns the SDK off in the edge runtime too", async () => {
  vi.stubEnv("OTEL_SDK_DISABLED", "True")
  await report("while the SDK is off")
  vi.stubEnv("OTEL_SDK_DISABLED", "false")
  await report("while the SDK is on")
  expect(sentry.errors().map(({ exception }) => exception?.values?.[0]?.value)).toEqual(["while the SDK is on"])
})
