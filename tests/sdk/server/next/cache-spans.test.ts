import { afterAll, beforeAll, expect, test } from "vitest"
import { type AppUnderTest, startApp } from "#tests/sdk/browser/app-under-test.ts"
import { CACHED } from "#tests/sdk/browser/cases/builds.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { sleep, waitFor } from "#tests/support/wait-for.ts"

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

/** The spans of one request of the page. */
async function requested(path: string) {
  const before = new Set(collector.spans().map(({ traceId }) => traceId))
  await (await fetch(`${app.origin}${path}`)).text()
  const root = await collector.waitForSpan(
    `of ${path}`,
    ({ traceId, attributes }) => attributes.get("http.target") === path && !before.has(traceId),
  )
  return () => collector.spans().filter(({ traceId }) => traceId === root.traceId)
}

const outcomeOf = (spans: ReturnType<RecordingCollector["spans"]>, name: string) =>
  spans.filter((span) => span.name === name).map(({ attributes }) => attributes.get("pagespan.cache.outcome"))

test("use cache shows as a miss that generates, then as a hit, then as a revalidation", async () => {
  const first = await requested("/prices/secret-sku")
  await waitFor("the generation", () => outcomeOf(first(), "generate getPrice").length > 0)
  const generated = first().find(({ name }) => name === "generate getPrice")
  expect(generated!.attributes.get("pagespan.cache.outcome")).toBe("miss")
  const inner = first().find(({ name }) => name === "read.price")
  expect(inner?.parentSpanId).toBe(generated!.spanId)
  // The name of the function is known once it has run.
  const reads = first().filter(({ name }) => name.startsWith("use cache "))
  expect(reads.map(({ attributes }) => attributes.get("cache.hit"))).toContain(false)

  const second = await requested("/prices/secret-sku")
  await waitFor("the hit", () => outcomeOf(second(), "use cache getPrice").includes("hit"))
  expect(second().filter(({ name }) => name === "generate getPrice")).toEqual([])

  await sleep(1_100)
  const third = await requested("/prices/secret-sku")
  await waitFor("what is generated", () => outcomeOf(third(), "generate getPrice").length > 0)
  expect(third().map(({ name }) => name)).toContain("read.price")
})

test("a read has the name of its key, without the values in it", async () => {
  const spans = await requested("/prices/another-secret")
  await waitFor("the read", () => spans().some(({ attributes }) => attributes.has("cache.key")))
  const keys = spans().flatMap(({ attributes }) => attributes.get("cache.key") ?? [])
  for (const key of keys) expect(key).toMatch(/^[\w./[\]-]+#[0-9a-f]{8}$/)
  expect(
    JSON.stringify(
      spans().map(({ name, attributes }) => [
        name,
        [...attributes.values()].filter((value) => typeof value === "string" && !value.startsWith("/prices")),
      ]),
    ),
  ).not.toContain("another-secret")
})
