import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest"
import { setOnlyAttempt, startAttempt } from "#otel/testing/active-attempt.ts"
import { expectTrace, getByRoute } from "#otel/testing/expect-trace.ts"
import { randomIds } from "#otel/testing/trace-ids.ts"
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

/** Calls as a test has them that no compiler has checked. */
const CALLS: readonly [string, () => Promise<unknown>][] = [
  ['"rout" is not a part of a filter', async () => expectTrace({ rout: "/cart" } as object).toHaveNoErrors()],
  ['"timeOut" is not an option', async () => expectTrace("", { timeOut: 0 } as object).toHaveNoErrors()],
  ['"timeOut" is not an option', () => getByRoute("/", { timeOut: 0 } as object)],
  ['"max" is not a bound of toHaveSpan', () => expectTrace("").toHaveSpan("SELECT*", { max: 3 } as object)],
  ["NaN is no duration", () => expectTrace("").toFinishWithin(Number.NaN)],
  ['"LCPP" is not a web vital', () => expectTrace("").toHaveVital("LCPP", { p75: 1 })],
  ['"p57" is not a limit of toHaveVital', () => expectTrace("").toHaveVital("LCP", { p57: 1 } as object)],
  ["toHaveVital needs a limit: p75, p95, max", () => expectTrace("").toHaveVital("LCP", {})],
]

test.each(CALLS)("an assertion that would check nothing is a mistake of the test: %s", async (problem, call) => {
  await expect(call()).rejects.toThrow(TypeError)
  await expect(call()).rejects.toThrow(problem)
})

test("an assertion about a route that did not come names the routes that came, and the trace of the test", async () => {
  const attempt = startAttempt(randomIds(), () => 0)
  const start = BigInt(Date.now()) * 1_000_000n
  const span = {
    traceId: attempt.traceId,
    spanId: "3".repeat(16),
    parentSpanId: attempt.spanId,
    name: "GET /basket",
    kind: 2,
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(start + 9n),
    attributes: [{ key: "http.route", value: { stringValue: "/basket" } }],
  }
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })
  await fetch(`${inspector.url}/v1/traces`, { method: "POST", body, headers: { "content-type": "application/json" } })
  await getByRoute("/basket")
  setOnlyAttempt(attempt)
  onTestFinished(() => setOnlyAttempt(undefined))
  const failed = expectTrace({ route: "/cart" }, { timeout: 0 }).toHaveNoErrors()
  await expect(failed).rejects.toThrow(
    /What came instead:\n {2}the trace of this test {2}.*\(1 span\)\nRoutes of that time: \/basket\n/,
  )
})

test.each(["GET /api/pay", "RSC GET /api/pay"])(
  "an error that only Sentry reports, as of %s, is an error of its route, and of a pattern of it",
  async (transaction) => {
    const traceId = randomIds().traceId
    const start = BigInt(Date.now()) * 1_000_000n
    const span = {
      traceId,
      spanId: "1".repeat(16),
      name: transaction,
      kind: 2,
      startTimeUnixNano: String(start),
      endTimeUnixNano: String(start + 9n),
      attributes: [{ key: "http.route", value: { stringValue: "/api/pay" } }],
    }
    const event = {
      event_id: traceId,
      timestamp: Date.now() / 1e3,
      transaction,
      exception: { values: [{ type: "Error", value: `reported of ${transaction}` }] },
      contexts: { trace: { trace_id: traceId, span_id: "2".repeat(16) } },
    }
    const post = (path: string, body: string, type: string) =>
      fetch(`${inspector.url}${path}`, { method: "POST", body, headers: { "content-type": type } })
    await post(
      "/v1/traces",
      JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }),
      "application/json",
    )
    await post("/api/1/envelope/", `{}\n{"type":"event"}\n${JSON.stringify(event)}`, "text/plain")
    for (const route of ["/api/*", "/api/pay"]) {
      const failed = expectTrace({ route, trace: traceId }, { timeout: 2_000 }).toHaveNoErrors()
      await expect(failed).rejects.toThrow(`reported of ${transaction}`)
    }
  },
)
