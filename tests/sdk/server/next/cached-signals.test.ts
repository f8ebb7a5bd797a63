import { beforeAll, expect, test } from "vitest"
import { waitFor } from "#tests/support/wait-for.ts"
import { type CachedApp, cachedApp, type RecordedSpan } from "./cached-app.ts"

const running = cachedApp()
let app: CachedApp["app"]
let collector: CachedApp["collector"]
beforeAll(() => {
  ;({ app, collector } = running())
})

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
