import { afterAll, beforeAll, expect, test } from "vitest"
import { type AppUnderTest, startApp } from "#tests/sdk/browser/app-under-test.ts"
import { CACHED } from "#tests/sdk/browser/cases/builds.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { waitFor } from "#tests/support/wait-for.ts"

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

type RecordedSpan = ReturnType<RecordingCollector["spans"]>[number]

const METADATA = "generateMetadata /articles/[how]/[id]/page"

/** Requests the page, and returns the spans of its metadata. */
async function metadataOf(path: string): Promise<RecordedSpan[]> {
  await (await fetch(`${app.origin}${path}`, { redirect: "manual" })).text()
  const isRequest = ({ attributes }: RecordedSpan) => attributes.get("http.target") === path
  const { traceId } = await collector.waitForSpan(`of ${path}`, isRequest)
  const found = () => collector.spans().filter((span) => span.name === METADATA && span.traceId === traceId)
  await waitFor(`metadata of ${path}`, () => found().length > 0)
  return found()
}

/** How a span ended: its status, its exceptions, and the type of its error. */
function outcome({ status, events, attributes }: RecordedSpan) {
  const exceptions = events.filter((event) => event.name === "exception").map((event) => event.attributes)
  return [status.code, exceptions, attributes.get("error.type")]
}

for (const how of ["withdrawn", "moved"])
  test(`metadata of an article that a cached function finds ${how} has no failed span`, async () => {
    for (const span of await metadataOf(`/articles/${how}/new`)) expect(outcome(span)).toEqual(["unset", [], undefined])
  })

test("metadata with an error of a cached function has a failed span", async () => {
  for (const span of await metadataOf("/articles/broken/new")) {
    const [status, exceptions, type] = outcome(span)
    expect([status, exceptions, type]).toEqual(["error", [expect.anything()], "Error"])
  }
})
