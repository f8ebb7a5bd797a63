import { expect, test } from "vitest"
import { listAttributes } from "#otel/inspector/api/attributes.ts"
import { startInspector } from "#tests/inspector/ingest/running-inspector.ts"

test("suggestions say which parameters they ignored, and answer as without them", async () => {
  const { inspector } = await startInspector()
  const get = async (query: string) => {
    const address = `http://localhost/api/attributes${query}`
    return (await listAttributes(inspector, new Request(address, { headers: { host: "localhost" } }))).json()
  }
  expect(await get("?of=spans")).toEqual({ attributes: [] })
  expect(await get("?of=logs&name=service&text=shop")).toEqual({ values: [] })
  expect(await get("?of=metrics")).toEqual({
    attributes: [],
    notices: ['of is "metrics", which is not one of spans, logs'],
  })
  expect(await get(`?name=service&text=${"a".repeat(600)}`)).toEqual({
    values: [],
    notices: [expect.stringMatching(/^text is "a+…", which is not a text of at most 512 characters$/)],
  })
})
