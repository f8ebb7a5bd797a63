import { describe, expect, test } from "vitest"
import { ITEM_PAYLOAD_LIMIT_BYTES } from "#otel/protocol/limits.ts"
import { nanoseconds } from "#otel/protocol/records/time.ts"
import {
  CHILD_ID,
  decode,
  decodeBytes,
  envelope,
  errorEvent,
  EVENT_ID,
  item,
  type Json,
  RECEIVED,
  ROOT_ID,
  TRACE_ID,
  transaction,
} from "./envelopes.ts"

const OTHER_ID = "0".repeat(31) + "1"
const SDK = "sentry.javascript.node 11.0.0"

describe("an item that becomes no other record is stored as received:", () => {
  const one = (type: string, payload: Json, header: Json = {}) => {
    const { items, drops, spans, errors, logs } = decode(item(type, payload, header))
    expect([...drops, ...spans, ...errors, ...logs]).toStrictEqual([])
    expect(items).toHaveLength(1)
    expect(Buffer.from(items[0]!.payload).toString()).toBe(
      typeof payload === "string" ? payload : JSON.stringify(payload),
    )
    return items[0]!
  }

  test("feedback, with its author, its message and its event", () => {
    const feedback = {
      message: "It broke\nwhen I paid",
      name: "Jo",
      contact_email: "jo@shop.test",
      associated_event_id: OTHER_ID,
      url: "https://shop.test/cart",
    }
    const contexts = { feedback, trace: { trace_id: TRACE_ID, span_id: ROOT_ID } }
    const event = { event_id: EVENT_ID, timestamp: 1_795_197_401.5, platform: "javascript", release: "1.2", contexts }
    expect(one("feedback", event)).toMatchObject({
      eventId: EVENT_ID,
      aboutEventId: OTHER_ID,
      traceId: TRACE_ID,
      spanId: ROOT_ID,
      release: "1.2",
      sdk: SDK,
      time: 1_795_197_401_500_000_000n,
      facts: [
        ["message", "It broke\nwhen I paid"],
        ["name", "Jo"],
        ["contact", "jo@shop.test"],
        ["url", "https://shop.test/cart"],
      ],
    })
  })

  test("a user report, with the event that it is about", () => {
    const report = one("user_report", { event_id: OTHER_ID, name: "Jo", email: "jo@shop.test", comments: "oh" })
    expect(report).toMatchObject({ aboutEventId: OTHER_ID, eventId: EVENT_ID, time: RECEIVED })
    expect(report.facts).toContainEqual(["message", "oh"])
  })

  test("a check-in, with its monitor, status and duration", () => {
    const schedule = { type: "interval", value: 5, unit: "minute" }
    const checkIn = { check_in_id: OTHER_ID, monitor_slug: "nightly", status: "error", duration: 1.5 }
    expect(one("check_in", { ...checkIn, monitor_config: { schedule }, environment: "prod" })).toMatchObject({
      environment: "prod",
      facts: [
        ["monitor", "nightly"],
        ["status", "error"],
        ["duration", "1.5 s"],
        ["schedule", "interval 5 minute"],
        ["check-in", OTHER_ID],
      ],
    })
  })

  test("sessions, single and aggregated", () => {
    const started = "2026-11-20T17:56:41.3337Z"
    expect(one("session", { sid: "s1", status: "crashed", errors: 2, started, attrs: { release: "9" } })).toMatchObject(
      {
        release: "9",
        facts: [
          ["status", "crashed"],
          ["errors", "2"],
          ["started", started],
          ["session", "s1"],
        ],
      },
    )
    const aggregates = [
      { started, exited: 3, errored: 1 },
      { started, exited: 4 },
    ]
    expect(one("sessions", { aggregates, attrs: { environment: "prod" } })).toMatchObject({
      environment: "prod",
      facts: [
        ["exited", "7"],
        ["errored", "1"],
        ["abnormal", "0"],
        ["crashed", "0"],
      ],
    })
  })

  test("an attachment, with the facts of its header", () => {
    const header = { filename: "../a\u0007.txt", content_type: "text/html", attachment_type: "event.attachment" }
    expect(one("attachment", '{"event_id":"not read"}', header)).toMatchObject({
      eventId: EVENT_ID,
      fileName: "../a\u0007.txt",
      contentType: "text/html",
      attachmentType: "event.attachment",
      facts: [],
    })
  })

  test("an unknown item, whatever its type and content", () => {
    expect(one("__proto__", "x")).toMatchObject({ type: "__proto__", facts: [] })
    expect(one("trace_metric", { items: [] }, { item_count: 3 }).facts).toStrictEqual([["items", "3"]])
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
    const { items } = decodeBytes(
      Buffer.concat([Buffer.from('{}\n{"type":"replay_video","length":256}\n'), bytes, Buffer.from("\n")]),
    )
    expect(items[0]).toMatchObject({ type: "replay_video", byteLength: 256, service: "unknown_service" })
    expect(Buffer.compare(items[0]!.payload, bytes)).toBe(0)
  })
})

test("attachments have the time, trace and service of their event, by our clock", () => {
  const { items } = decode(item("event", errorEvent()), item("attachment", "x"))
  const place = { traceId: TRACE_ID, service: "web-1", environment: "dev", release: "1.2" }
  expect(items).toMatchObject([place, place])
  expect(items.map(({ type, time }) => [type, time])).toStrictEqual([
    ["event", 1_795_197_401_500_000_000n],
    ["attachment", 1_795_197_401_500_000_000n],
  ])
  const header = { sent_at: new Date(Number(RECEIVED / 1_000_000n) - 7_200_000).toISOString() }
  const late = decodeBytes(envelope(header, item("session", {}), item("event", errorEvent()), item("attachment", "x")))
  const onOurClock = nanoseconds(1_795_197_401_500_000_000n + 7_200_000_000_000n)
  expect(late.items.map(({ time }) => time)).toStrictEqual([RECEIVED, onOurClock, onOurClock])
})

test("a time in the future is ignored", () => {
  expect(decode(item("check_in", { timestamp: 9_000_000_000 })).items[0]!.time).toBe(RECEIVED)
})

test("an item without a trace has that of the envelope's header", () => {
  const { items } = decodeBytes(envelope({ trace: { trace_id: TRACE_ID } }, item("session", {})))
  expect(items[0]!.traceId).toBe(TRACE_ID)
})

test("an item that is sent again has the same id, and another item has not", () => {
  const ids = (...items: [Json, Json][]) => decode(...items).items.map(({ itemId }) => itemId)
  const all: [Json, Json][] = [
    item("event", errorEvent()),
    item("transaction", transaction()),
    item("attachment", "x", { filename: "a" }),
    item("session", { sid: "1" }),
  ]
  expect(ids(...all)).toStrictEqual(ids(...all))
  const different = ids(...all, item("attachment", "x", { filename: "b" }), item("attachment", "y", { filename: "a" }))
  expect(new Set(different).size).toBe(6)
})

describe("an event that became records is also stored as an item:", () => {
  test("that of an error as received, byte for byte", () => {
    const payload = JSON.stringify(errorEvent({ n: 0 })).replace('"n":0', '"n": 12345678901234567890.50')
    const { items, errors } = decode(item("event", payload))
    expect(items).toMatchObject([
      { type: "event", eventId: EVENT_ID, traceId: TRACE_ID, spanId: ROOT_ID, service: "web-1", sdk: SDK },
    ])
    expect(items[0]!.time).toBe(errors[0]!.time)
    expect(Buffer.from(items[0]!.payload).toString()).toBe(payload)
  })

  test("that of a transaction with the number of its spans in their place", () => {
    const event = transaction({ sdk: { name: "own", version: "2" }, breadcrumbs: [{ message: "<b>" }] })
    const { items, spans } = decode(item("transaction", event))
    expect(spans.map(({ spanId }) => spanId)).toStrictEqual([ROOT_ID, CHILD_ID])
    expect(items).toMatchObject([
      { type: "transaction", eventId: EVENT_ID, traceId: TRACE_ID, spanId: ROOT_ID, sdk: "own 2", release: "1.2" },
    ])
    expect(items[0]!.byteLength).toBe(JSON.stringify(event).length)
    expect(JSON.parse(Buffer.from(items[0]!.payload).toString())).toStrictEqual({ ...event, spans: 1 })
  })

  test.each<[string, string, string]>([
    ["first", '{"spans":[{"a":"]"},[1]],"b":1}', '{"spans":2,"b":1}'],
    ["last, with spaces around", '{ "b" : [ 1 ] , "spans" : [ {} ] }', '{ "b" : [ 1 ] , "spans" : 1 }'],
    ["twice, of which the last counts", '{"spans":[1],"spans":[2,"\\\\]"]}', '{"spans":2,"spans":2}'],
    ["missing at the top level", '{"x":{"spans":[1]},"y":["spans",[2]]}', '{"x":{"spans":[1]},"y":["spans",[2]]}'],
    ["missing, with a value of the same name", '{"x":"spans","y":[1]}', '{"x":"spans","y":[1]}'],
    ["not an array", '{"spans":{"a":[1]}}', '{"spans":{"a":[1]}}'],
    ["empty", '{"spans":[]}', '{"spans":0}'],
  ])("byte for byte except its spans, which are %s", (_where, sent, stored) => {
    const { items } = decode(item("transaction", sent))
    expect(Buffer.from(items[0]!.payload).toString()).toBe(stored)
  })

  test("except when it is refused or is not JSON", () => {
    expect(decode(item("event", errorEvent({ timestamp: 9_000_000_000 }))).items).toStrictEqual([])
    expect(decode(item("event", "{broken")).items).toStrictEqual([])
  })

  test("with its own cuts and refused parts only", () => {
    const long = errorEvent({ tags: { ["k".repeat(2_000)]: "x" } })
    const bad = transaction({ spans: [{ span_id: "no" }, "nonsense"] })
    const { items, drops } = decode(item("event", long), item("transaction", bad), item("session", {}))
    expect(items.map(({ cuts }) => cuts)).toMatchObject([
      [{ reason: "limit_attributes", count: 1, sample: "a key of tags longer than 1024 bytes" }],
      [{ reason: "invalid", count: 2 }],
      [],
    ])
    expect(drops.map(({ reason, category, count }) => [reason, category, count])).toStrictEqual([
      ["limit_attributes", "default", 1],
      ["invalid", "span", 2],
    ])
  })
})

describe("limits of items", () => {
  test("a payload beyond 5 MiB is truncated to that, and counted", () => {
    const payload = "é".repeat(ITEM_PAYLOAD_LIMIT_BYTES)
    const { items, drops } = decode(item("attachment", payload, { filename: "big" }), item("event", errorEvent()))
    expect(items[0]).toMatchObject({
      byteLength: 2 * ITEM_PAYLOAD_LIMIT_BYTES,
      cuts: [{ reason: "too_large", count: 1 }],
    })
    expect(items[0]!.payload).toHaveLength(ITEM_PAYLOAD_LIMIT_BYTES)
    expect(items[0]!.payload.buffer.byteLength).toBe(ITEM_PAYLOAD_LIMIT_BYTES)
    expect(drops).toMatchObject([{ reason: "too_large", category: "attachment", count: 1 }])
    expect(items[1]!.cuts).toStrictEqual([])
  })

  test("a name beyond 1 KiB is truncated too", () => {
    const { items, drops } = decode(item("attachment", "x", { filename: "n".repeat(5_000), content_type: 7 }))
    expect(items[0]!.fileName).toBe("n".repeat(1_024))
    expect(items[0]!.contentType).toBe("7")
    expect(drops).toMatchObject([{ reason: "limit_attributes", category: "default", count: 1 }])
  })

  test("an item that is too deep or too large to be read is stored without facts", () => {
    const deep = `{"a":${"[".repeat(100_000)}`
    const large = JSON.stringify({ monitor_slug: "x", padding: "x".repeat(300_000) })
    const { items, drops } = decode(item("check_in", deep), item("check_in", large))
    expect(items.map(({ facts, byteLength }) => [facts, byteLength])).toStrictEqual([
      [[], deep.length],
      [[], large.length],
    ])
    expect(drops).toStrictEqual([])
  })
})
