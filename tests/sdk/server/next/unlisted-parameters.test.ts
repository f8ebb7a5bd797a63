import { afterAll, beforeAll, expect, test } from "vitest"
import { type AppUnderTest, startApp } from "#tests/sdk/browser/app-under-test.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"
import { waitFor } from "#tests/support/wait-for.ts"

/** A page with `dynamicParams = false` refuses parameters that its `generateStaticParams` does not list. */

const CALLER = "f".repeat(32)
let collector: RecordingCollector
let sentry: RecordingSentry
let app: AppUnderTest

beforeAll(async () => {
  collector = await new RecordingCollector().listen()
  sentry = await new RecordingSentry().listen()
  const environment = {
    SENTRY_DSN: sentry.dsn,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.endpoint}/v1/traces`,
    OTEL_BSP_SCHEDULE_DELAY: "100",
  }
  app = await startApp("server", { environment })
})

afterAll(async () => {
  await app?.stop()
  await collector?.close()
  await sentry?.close()
})

test("a request with parameters that no page has is no error, and ends with the route and status of the 404 page", async () => {
  const headers = { traceparent: `00-${CALLER}-${"e".repeat(16)}-01` }
  const response = await fetch(`${app.origin}/listed/other`, { headers })
  await response.text()
  expect(response.status).toBe(404)
  const requests = () =>
    collector
      .spans()
      .filter(({ traceId, attributes }) => traceId === CALLER && attributes.get("http.target") === "/listed/other")
  await waitFor("both attempts of Next", () => requests().length === 2)
  const outcomes = requests().map(({ name, status, events, attributes }) => [
    name,
    attributes.get("http.response.status_code"),
    status.code,
    events.length,
    attributes.get("error.type"),
  ])
  expect(outcomes).toEqual([
    ["GET /listed/[id]", 404n, "unset", 0, undefined],
    ["GET /_not-found", 404n, "unset", 0, undefined],
  ])
  const transaction = await sentry.waitForTransaction(
    "of the page",
    (each) => each["transaction"] === "GET /listed/[id]",
  )
  expect(transaction["contexts"].trace.status).toBe("not_found")
  expect(sentry.errors()).toEqual([])
})
