import { expect, test } from "vitest"
import type { TracesJson } from "#otel/protocol/otlp/traces-json.ts"
import { NO_ATTRIBUTES } from "#otel/protocol/records/attributes.ts"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { answered, forwarder, spans } from "./forwarder-under-test.ts"

test("what is forwarded keeps link flags, dropped counts and scope schema URLs", async () => {
  const { offer, sent, settled } = await forwarder({}, () => answered(200))
  const [record] = spans(1)
  const link = { traceId: record!.traceId, spanId: record!.spanId, traceState: "", attributes: NO_ATTRIBUTES }
  const span: SpanRecord = {
    ...record!,
    links: [{ ...link, flags: 0x301, droppedAttributes: 2 }],
    events: [{ time: record!.startTime, name: "boom", attributes: NO_ATTRIBUTES, droppedAttributes: 3 }],
    dropped: { attributes: 4, events: 5, links: 6 },
    scope: { ...record!.scope, schemaUrl: "https://opentelemetry.io/schemas/1.43.0" },
  }
  offer({ spans: [span] })
  await settled()
  await waitFor("the request", () => sent.length === 1)
  const { resourceSpans } = JSON.parse(Buffer.from(sent[0]!.body).toString()) as TracesJson
  expect(resourceSpans[0]?.scopeSpans[0]).toMatchObject({
    schemaUrl: "https://opentelemetry.io/schemas/1.43.0",
    spans: [
      {
        links: [{ flags: 0x301, droppedAttributesCount: 2 }],
        events: [{ droppedAttributesCount: 3 }],
        droppedAttributesCount: 4,
        droppedEventsCount: 5,
        droppedLinksCount: 6,
      },
    ],
  })
})

test.each([
  ["rejects two of three", '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}', ["send_error/span=2"]],
  ["claims to reject more than there were", '{"partialSuccess":{"rejectedSpans":99}}', ["send_error/span=3"]],
  ["warns", '{"partialSuccess":{"rejectedSpans":"0","errorMessage":"slow down"}}', []],
  ["is not JSON", "OK", []],
])("what a collector rejects of a batch that it accepts is counted and not sent again: %s", async (_, body, drops) => {
  const { offer, sent, dropped, settled } = await forwarder({}, () => answered(200, {}, body))
  offer({ spans: spans(3) })
  await settled()
  await waitFor("the request", () => sent.length === 1)
  expect([sent.length, dropped()]).toEqual([1, drops])
})
