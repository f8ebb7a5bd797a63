import * as Sentry from "@sentry/nextjs"
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest"
import { setFilters } from "#otel/filters.ts"
import { onRequestError } from "#otel/server.ts"
import { WITHOUT_SETUP } from "#otel/sdk/server/existing-sdk.ts"
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
  sentry.clear()
  Sentry.getCurrentScope().setClient(undefined)
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

test("what the client of the app's own Sentry.init sends from the edge runtime is filtered and redacted too", async () => {
  Sentry.init({ dsn: sentry.dsn, integrations: [], ...WITHOUT_SETUP })
  setFilters({ errors: [{ name: "noise", reason: "ignored", drops: ({ message }) => message === "noise" }] })
  onTestFinished(() => setFilters({}))
  await report("noise")
  await report("no answer from https://shop.example/cart?token=hunter2")
  const values = sentry.errors().map(({ exception }) => String(exception?.values?.[0]?.value))
  expect(values).toEqual([expect.stringContaining("no answer from https://shop.example/cart")])
  expect(values.join()).not.toContain("hunter2")
})
