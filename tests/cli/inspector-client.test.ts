import { expect, test } from "vitest"
import { InspectorClient } from "#otel/cli/inspector-client.ts"
import { tracesToJson } from "#otel/protocol/otlp/traces-json.ts"
import { serve } from "#tests/inspector/ingest/receiver-under-test.ts"
import { spanRecord } from "#tests/inspector/ingest/span-records.ts"

const SPAN = spanRecord(1)

/** A client of a server that gives every request this answer. */
async function clientOf(body: object, init: ResponseInit = {}): Promise<InspectorClient> {
  return new InspectorClient({ url: await serve(() => Response.json(body, init)), token: undefined })
}

test("a trace of more spans than an answer holds comes with the number that is stored", async () => {
  const headers = { "x-pagespan-spans": "1 of 1200000" }
  const cut = await (await clientOf(tracesToJson([SPAN]), { headers })).trace(SPAN.traceId)
  expect([cut.spans.map(({ spanId }) => spanId), cut.stored]).toEqual([[SPAN.spanId], 1_200_000])
  const whole = await (await clientOf(tracesToJson([SPAN]))).trace(SPAN.traceId)
  expect([whole.spans.length, whole.stored]).toEqual([1, 1])
  expect(await (await clientOf({}, { status: 404 })).trace(SPAN.traceId)).toEqual({ spans: [], stored: 0 })
})

test("a span comes as each protocol reported it, OTLP first, and an unknown one is none", async () => {
  const bySentry = { ...SPAN, name: "by Sentry" }
  const client = await clientOf({ otlp: tracesToJson([SPAN]), sentry: tracesToJson([bySentry]) })
  const spans = await client.span(SPAN.traceId, SPAN.spanId)
  expect(spans.map(({ name }) => name)).toEqual([SPAN.name, "by Sentry"])
  expect(await (await clientOf({}, { status: 404 })).span(SPAN.traceId, SPAN.spanId)).toEqual([])
})
