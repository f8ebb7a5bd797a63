import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { expectTrace } from "#otel/testing/expect-trace.ts"
import { RunningApp } from "#tests/support/running-app.ts"

let inspector: RunningApp

beforeAll(async () => {
  inspector = await RunningApp.start({ PAGESPAN_SELF: "off" })
  vi.stubEnv("PAGESPAN_URL", inspector.url)
})

afterAll(async () => {
  vi.unstubAllEnvs()
  await inspector?.stop()
})

test("an assertion that fails names a probable misspelling in its filter", async () => {
  const failed = expectTrace("rout:/cart", { timeout: 0 }).toHaveNoErrors()
  await expect(failed).rejects.toThrow(/rout .*route.*\nFilter: rout:\/cart\./s)
})

test("an assertion that fails with a valid filter names the filter, and what came instead", async () => {
  const failed = expectTrace({ route: "/cart" }, { timeout: 0 }).toHaveNoErrors()
  await expect(failed).rejects.toThrow(/No trace began in that time\.\nFilter: route:\S*\/cart\S*\. Waited/)
})
