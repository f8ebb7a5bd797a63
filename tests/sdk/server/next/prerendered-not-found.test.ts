import { afterAll, beforeAll, expect, test } from "vitest"
import { type AppUnderTest, startApp } from "#tests/sdk/browser/app-under-test.ts"
import { CACHED } from "#tests/sdk/browser/cases/builds.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"

let collector: RecordingCollector
let app: AppUnderTest

beforeAll(async () => {
  collector = await new RecordingCollector().listen()
  const environment = {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.endpoint}/v1/traces`,
    OTEL_BSP_SCHEDULE_DELAY: "100",
  }
  app = await startApp("routes", { environment, variant: CACHED.variant })
})

afterAll(async () => {
  await app?.stop()
  await collector?.close()
})

async function requestOf(path: string) {
  const response = await fetch(`${app.origin}${path}`)
  await response.text()
  const span = await collector.waitForSpan(`of ${path}`, ({ attributes }) => attributes.get("http.target") === path)
  return [response.status, span.name, span.attributes.get("http.route")]
}

test("a request that ends with a prerendered 404 page is named by its route, not by its method alone", async () => {
  expect(await requestOf("/nowhere/7")).toEqual([404, "GET /_not-found", "/_not-found"])
})
