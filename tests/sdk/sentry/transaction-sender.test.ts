import { describe, expect, test } from "vitest"
import { PAGE_BODY_LIMIT_BYTES } from "#otel/protocol/limits.ts"
import { serviceName, type SpanRecord } from "#otel/protocol/records/span.ts"
import { fromMilliseconds } from "#otel/protocol/records/time.ts"
import { decodeEnvelope } from "#otel/protocol/sentry/decode-envelope.ts"
import type { EnvelopeFormatSetting } from "#otel/sdk/envelope-format.ts"
import { semconvMapping } from "#otel/sdk/sentry/span-mapping.ts"
import { sendSpanStream } from "#otel/sdk/sentry/span-stream.ts"
import { type SendStream, TransactionSender } from "#otel/sdk/sentry/transaction-sender.ts"
import { assembleTransaction } from "#otel/sdk/sentry/transaction.ts"
import { finishedSpan, TRACE_ID } from "./finished-span.ts"
import { sentryClient } from "./sentry-client.ts"

const ROOT_ID = "b7ad6b7169203331"
const CONTEXT = { trace_id: TRACE_ID, public_key: "key", sampled: "true" }

function transactionOf(count: number, rootId = ROOT_ID, platform: "javascript" | "node" = "node") {
  const children = Array.from({ length: count }, (_, index) =>
    finishedSpan({
      name: `child ${index}`,
      spanId: (index + 16).toString(16).padStart(16, "0"),
      parent: { spanId: rootId },
      start: 1_000 + index / 10_000,
    }),
  )
  const options = { platform, eventId: "9".repeat(32), mapping: semconvMapping } as const
  return assembleTransaction(finishedSpan({ name: "root", spanId: rootId }), children.toReversed(), options)
}

function senderUnderTest(
  setting: EnvelopeFormatSetting,
  stream: () => SendStream | Promise<SendStream> = () => sendSpanStream,
) {
  const sentry = sentryClient()
  const drop = (count: number) => sentry.drops.push(`limit_spans/span=${count}`)
  return { sentry, sender: new TransactionSender({ client: sentry.client, setting, stream, drop }) }
}

/** `transaction 3` has three children. `span 4` is a container of four spans. */
const summary = ({ itemHeaders, items }: ReturnType<typeof sentryClient>) =>
  items.map((item, index) => `${itemHeaders[index]?.["type"]} ${(item["items"] ?? item["spans"]).length}`)

describe("a finished root", () => {
  test("is a transaction with the thousand children that started first, the others counted", async () => {
    const { sentry, sender } = senderUnderTest("transaction")
    sender.send(transactionOf(1_007), CONTEXT)
    await sentry.flush()
    expect(summary(sentry)).toEqual(["transaction 1000"])
    expect(sentry.items[0]?.["spans"].map(({ description }: { description: string }) => description)).toEqual(
      Array.from({ length: 1_000 }, (_, index) => `child ${index}`),
    )
    expect(sentry.drops).toEqual(["limit_spans/span=7"])
  })

  test("is streamed if a transaction has no room for its children, and nothing is dropped", async () => {
    const { sentry, sender } = senderUnderTest("auto")
    sender.send(transactionOf(2_500), CONTEXT)
    await sentry.flush()
    expect(summary(sentry)).toEqual(["span 1000", "span 1000", "span 501"])
    expect(sentry.headers.map(({ trace }) => trace)).toEqual([CONTEXT, CONTEXT, CONTEXT])
    const ids = sentry.items.flatMap((item) => item["items"].map(({ span_id }: { span_id: string }) => span_id))
    expect(new Set(ids).size).toBe(2_501)
    expect(sentry.items[0]?.["items"][0]).toMatchObject({ is_segment: true, span_id: ROOT_ID })
    expect(sentry.drops).toEqual([])
  })

  test("is streamed in envelopes below five million bytes", async () => {
    const { sentry, sender } = senderUnderTest("stream")
    const { payload, root } = transactionOf(20)
    const heavy = payload.spans.map((span) => ({ ...span, data: { text: "x".repeat(400_000) } }))
    sender.send({ root, payload: { ...payload, spans: heavy } }, CONTEXT)
    await sentry.flush()
    expect(summary(sentry)).toEqual(["span 7", "span 6", "span 6", "span 2"])
  })

  test.each(["a", "é", "語", "😀", "\\"])(
    "of a page is streamed in envelopes that fit the tunnel, also if it consists of %s",
    async (character) => {
      const { sentry, sender } = senderUnderTest("stream")
      const { payload, root } = transactionOf(900, ROOT_ID, "javascript")
      const data = Object.fromEntries(["a", "b", "c", "d", "e"].map((key) => [`app.${key}`, character.repeat(200)]))
      const heavy = payload.spans.map((span) => ({ ...span, data: { ...span.data, ...data } }))
      sender.send({ root, payload: { ...payload, spans: heavy } }, CONTEXT)
      await sentry.flush()
      const bytes = sentry.items.map((item) => Buffer.byteLength(JSON.stringify(item)))
      expect(bytes.length).toBeGreaterThan(1)
      // Beside the item an envelope has two headers of some hundred bytes.
      expect(Math.max(...bytes)).toBeLessThan(PAGE_BODY_LIMIT_BYTES.envelope - 4_096)
      expect(sentry.items.flatMap((item) => item["items"])).toHaveLength(901)
      expect(sentry.drops).toEqual([])
    },
  )

  test.each([
    ["transaction", [3, 2_000, 4], ["transaction 3", "transaction 1000", "transaction 4"]],
    ["stream", [2_000, 3, 0], ["span 1000", "span 1000", "span 1", "span 4", "span 1"]],
  ])("has the format that its trace started with (%s)", async (_, roots, expected) => {
    const { sentry, sender } = senderUnderTest("auto")
    for (const [index, children] of roots.entries())
      sender.send(transactionOf(children, String(index + 1).repeat(16)), CONTEXT)
    await sentry.flush()
    expect(summary(sentry)).toEqual(expected)
  })

  test("is sent as a transaction if the page unloads before the stream's chunk loads, or if loading fails", async () => {
    for (const settle of [true, false]) {
      const { sentry, sender } = senderUnderTest("stream", () =>
        settle ? new Promise(() => undefined) : Promise.reject(new Error("offline")),
      )
      sender.send(transactionOf(2), CONTEXT)
      expect(summary(sentry)).toEqual([])
      if (settle) sender.settle()
      await Promise.resolve().then(() => undefined)
      await sentry.flush()
      expect(summary(sentry)).toEqual(["transaction 2"])
    }
  })
})

/** A page's request that started after the end of its root, as the page delivers it. */
function lateRequest(index: number, traceId = TRACE_ID) {
  const span = finishedSpan({
    name: "POST /api/save",
    spanId: (index + 1).toString(16).padStart(16, "0"),
    parent: { spanId: ROOT_ID },
    attributes: { "sentry.op": "http.client", "sentry.segment.name": "/items/[id]", "http.request.method": "POST" },
  })
  const options = { platform: "javascript", eventId: "9".repeat(32), mapping: semconvMapping } as const
  const { root, payload } = assembleTransaction(span, [], options)
  const { contexts } = payload
  return { root, payload: { ...payload, contexts: { ...contexts, trace: { ...contexts.trace, trace_id: traceId } } } }
}

describe("requests after the end of their root", () => {
  test("are separate spans beside a transaction, a hundred per envelope, with the name of their root", async () => {
    const { sentry, sender } = senderUnderTest("auto")
    sender.send(transactionOf(3), CONTEXT)
    for (let index = 0; index < 150; index++) sender.send(lateRequest(index), CONTEXT)
    sender.settle()
    await sentry.flush()
    expect(sentry.itemHeaders.map(({ type }) => type)).toEqual(["transaction", "span", "span"])
    expect(sentry.itemCounts).toEqual([1, 100, 50])
    expect(sentry.headers[1]).toMatchObject({ trace: CONTEXT })
    expect(sentry.items[1]).toMatchObject({
      trace_id: TRACE_ID,
      parent_span_id: ROOT_ID,
      segment_id: ROOT_ID,
      is_segment: false,
      description: "POST /api/save",
      data: { transaction: "/items/[id]", "service.name": "shop" },
    })
    expect(sentry.drops).toEqual([])
  })

  test("name no address of the visitor, and leave Sentry none to infer: without one it takes the sender's", async () => {
    const { sentry, sender } = senderUnderTest("transaction")
    sender.send(lateRequest(0), CONTEXT)
    sender.settle()
    await sentry.flush()
    expect(sentry.items[0]?.["data"]).toMatchObject({ "client.address": "0.0.0.0" })
  })

  test("are streamed with their root, as spans of its segment", async () => {
    const { sentry, sender } = senderUnderTest("stream")
    for (let index = 0; index < 3; index++) sender.send(lateRequest(index), CONTEXT)
    sender.settle()
    await sentry.flush()
    expect(summary(sentry)).toEqual(["span 3"])
    for (const span of sentry.items[0]?.["items"] ?? [])
      expect(span).toMatchObject({
        parent_span_id: ROOT_ID,
        is_segment: false,
        name: "POST /api/save",
        attributes: { "sentry.segment.id": { value: ROOT_ID }, "sentry.segment.name": { value: "/items/[id]" } },
      })
  })

  test("of two traces never share an envelope", async () => {
    const { sentry, sender } = senderUnderTest("transaction")
    const other = "a".repeat(32)
    for (const [index, traceId] of [TRACE_ID, TRACE_ID, other].entries())
      sender.send(lateRequest(index, traceId), { trace_id: traceId })
    sender.settle()
    await sentry.flush()
    expect(sentry.headers.map(({ trace }) => trace)).toEqual([{ trace_id: TRACE_ID }, { trace_id: other }])
  })
})

describe("the receiver", () => {
  async function recordsOf(setting: EnvelopeFormatSetting): Promise<readonly SpanRecord[]> {
    const { sentry, sender } = senderUnderTest(setting)
    const root = finishedSpan({
      name: "GET /items/[id]",
      spanId: ROOT_ID,
      parent: { spanId: "1".repeat(16), isRemote: true },
      attributes: {
        "http.request.method": "GET",
        "http.response.status_code": 404,
        "http.route": "/items/[id]",
        ratio: 0.5,
        flag: true,
        list: ["a", "b"],
      },
      kind: 1,
      links: [
        { context: { traceId: "f".repeat(32), spanId: "e".repeat(16), traceFlags: 1 }, attributes: { why: "before" } },
      ],
    })
    const child = finishedSpan({
      name: "SELECT",
      spanId: "2".repeat(16),
      parent: { spanId: ROOT_ID },
      start: 1_000.25,
      end: 1_000.5,
      attributes: { "db.system.name": "postgresql", "db.query.text": "SELECT a FROM b" },
      kind: 2,
      links: [{ context: { traceId: "d".repeat(32), spanId: "c".repeat(16), traceFlags: 1 } }],
    })
    const options = { platform: "node", eventId: "9".repeat(32), mapping: semconvMapping } as const
    sender.send(assembleTransaction(root, [child], options), CONTEXT)
    await sentry.flush()
    const bytes = Buffer.from(
      [sentry.headers[0], sentry.itemHeaders[0], sentry.items[0]].map((part) => JSON.stringify(part)).join("\n"),
    )
    const now = fromMilliseconds(Date.now())
    const decoded = decodeEnvelope(bytes, { receivedAt: now, latest: now })
    if (!decoded.ok) throw new Error(decoded.problem)
    expect(decoded.drops).toEqual([])
    return decoded.spans
  }

  test("reads the same records from both formats", async () => {
    const [transaction, stream] = [await recordsOf("transaction"), await recordsOf("stream")]
    expect(transaction.map(({ name, links }) => [name, links.map(({ spanId }) => spanId)])).toEqual([
      ["GET /items/[id]", ["e".repeat(16)]],
      ["SELECT", ["c".repeat(16)]],
    ])
    expect(stream).toHaveLength(2)
    for (const [index, expected] of transaction.entries()) {
      const { attributes, resource, scope, ...same } = expected
      const record = stream[index]
      expect(record).toMatchObject(same)
      expect(Object.fromEntries(record?.attributes ?? [])).toMatchObject(
        // `transaction_info.source` has another name in a stream, where the name of a span is not an attribute.
        Object.fromEntries([...attributes].filter(([key]) => key !== "sentry.source" && key !== "sentry.name")),
      )
      expect(record && serviceName(record.resource)).toBe(serviceName(resource))
      expect(record?.resource.attributes.get("deployment.environment.name")).toBe(
        resource.attributes.get("deployment.environment.name"),
      )
      expect(record?.scope).toEqual(scope)
    }
    expect(stream[0]?.attributes.get("sentry.segment.name.source")).toBe("route")
  })
})
