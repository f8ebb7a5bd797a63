import { describe, expect, test } from "vitest"
import { DROP_REASONS } from "#otel/protocol/records/drop.ts"
import { readTime } from "#otel/protocol/sentry/read-fields.ts"
import {
  CHILD_ID,
  decode,
  decodeBytes,
  envelope,
  errorEvent,
  item,
  RECEIVED,
  ROOT_ID,
  TRACE_ID,
  transaction,
} from "./envelopes.ts"

describe("times", () => {
  test.each<[unknown, bigint | undefined]>([
    [1_795_197_401, 1_795_197_401_000_000_000n],
    [1_795_197_401.3391557, 1_795_197_401_339_155_700n],
    ["1795197401.123456789", 1_795_197_401_123_456_789n],
    ["2026-11-20T17:56:41.123456789Z", 1_795_197_401_123_456_789n],
    ["2026-11-20T17:56:41Z", 1_795_197_401_000_000_000n],
    ["2026-11-20T17:56:41", 1_795_197_401_000_000_000n],
    ["2026-11-20 17:56:41.5", 1_795_197_401_500_000_000n],
    ["2026-11-20T18:56:41.5+01:00", 1_795_197_401_500_000_000n],
    ["yesterday", undefined],
    ["", undefined],
    [-5, undefined],
    [Number.NaN, undefined],
    [1e300, undefined],
    [null, undefined],
    ["2026-13-40T17:56:41Z", undefined],
  ])("%o is read to the precision that it has", (text, expected) => expect(readTime(text)).toBe(expected))

  test("a number is the same time as its shortest text, for any precision and near every boundary", () => {
    const nearby = [2 ** 32, 2 ** 33, 1e9, 1_795_197_401.333, 1e-6, 0.5]
    const steps = [1e-7, 1e-6, 1e-5, 0.002, 1 / 3, 1]
    const numbers = nearby.flatMap((base) =>
      steps.flatMap((step) => Array.from({ length: 100 }, (_, index) => base + (index - 50) * step)),
    )
    // Below a microsecond the text of a number has an exponent, which no time has.
    for (const number of numbers.filter((number) => number >= 1e-6))
      expect([number, readTime(number)]).toEqual([number, readTime(String(number))])
  })
})

describe("a transaction", () => {
  test("becomes its root and its children, with their ids and times", () => {
    const { spans, drops } = decode(item("transaction", transaction()))
    expect(drops).toStrictEqual([])
    expect(spans).toHaveLength(2)
    expect(spans[0]).toMatchObject({
      traceId: TRACE_ID,
      spanId: ROOT_ID,
      parentSpanId: undefined,
      name: "/traces/[traceId]",
      kind: "server",
      startTime: 1_795_197_401_333_200_000n,
      endTime: 1_795_197_401_339_155_700n,
      status: { code: "ok", message: "" },
      source: "sentry",
    })
    expect(spans[0]!.attributes).toStrictEqual(
      new Map<string, unknown>([
        ["n", 1n],
        ["f", 0.5],
        ["sentry.op", "http.server"],
        ["sentry.source", "route"],
      ]),
    )
    expect(spans[1]).toMatchObject({
      spanId: CHILD_ID,
      parentSpanId: ROOT_ID,
      name: "SELECT 1",
      kind: "client",
      startTime: 1_795_197_401_333_689_200n,
      endTime: 1_795_197_401_333_901_600n,
      status: { code: "error", message: "internal_error" },
    })
    expect(spans[0]!.resource.attributes).toStrictEqual(
      new Map([
        ["service.name", "web-1"],
        ["service.version", "1.2"],
        ["deployment.environment.name", "dev"],
        ["host.name", "web-1"],
        ["telemetry.sdk.name", "sentry.javascript.node"],
        ["telemetry.sdk.version", "11.0.0"],
        ["telemetry.sdk.language", "node"],
      ]),
    )
    expect(spans[1]!.resource).toBe(spans[0]!.resource)
  })

  test("of an OpenTelemetry bridge has its resource", () => {
    const contexts = { ...transaction().contexts, otel: { resource: { "service.name": "shop", "host.cpus": 4 } } }
    const { spans } = decode(item("transaction", transaction({ contexts })))
    expect(spans[0]!.resource.attributes.get("service.name")).toBe("shop")
    expect(spans[0]!.resource.attributes.get("host.cpus")).toBe(4n)
  })

  test.each<[string, Record<string, string>, Record<string, string | undefined>]>([
    [
      "has no defaults of the SDK in its resource",
      { "service.name": "node", "service.namespace": "sentry", "service.version": "10.78.0" },
      { "service.name": "web-1", "service.namespace": undefined, "service.version": "1.2.3" },
    ],
    [
      "has what its user set in its resource",
      { "service.name": "shop", "service.namespace": "sales", "service.version": "7" },
      { "service.name": "shop", "service.namespace": "sales", "service.version": "7" },
    ],
  ])("of Sentry's own OpenTelemetry setup %s", (_what, resource, expected) => {
    const contexts = { ...transaction().contexts, otel: { resource } }
    const said = { sdk: { name: "sentry.javascript.node", version: "10.78.0" }, server_name: "web-1", release: "1.2.3" }
    const { spans } = decode(item("transaction", transaction({ contexts, ...said })))
    const { attributes } = spans[0]!.resource
    const found = Object.fromEntries(Object.keys(expected).map((key) => [key, attributes.get(key)]))
    expect(found).toStrictEqual(expected)
  })

  test("with an invalid child has the other children, and counts it", () => {
    const [child] = transaction().spans
    const bad = [
      { ...child, span_id: "nope" },
      { ...child, timestamp: 1 },
      "not an object",
      { ...child, start_timestamp: null },
    ]
    const { spans, drops } = decode(item("transaction", transaction({ spans: [...bad, child] })))
    expect(spans.map(({ spanId }) => spanId)).toStrictEqual([ROOT_ID, CHILD_ID])
    expect(drops).toMatchObject([{ reason: "invalid", category: "span", count: 4 }])
  })

  test("from the future is rejected", () => {
    const { spans, drops } = decode(
      item("transaction", transaction({ start_timestamp: 3e9, timestamp: 3e9, spans: [] })),
    )
    expect(spans).toStrictEqual([])
    expect(drops).toMatchObject([{ reason: "invalid", category: "span", count: 1 }])
  })
})

describe("a wrong clock", () => {
  const sent = (sentAt: unknown, startMs: number) => {
    const event = transaction({ start_timestamp: startMs / 1_000, timestamp: (startMs + 5) / 1_000, spans: [] })
    const error = errorEvent({ timestamp: startMs / 1_000 })
    return decodeBytes(envelope({ sent_at: sentAt }, item("transaction", event), item("event", error)))
  }
  const receivedMs = Number(RECEIVED / 1_000_000n)

  test.each([
    ["two days ahead", 2 * 86_400_000],
    ["a year behind", -365 * 86_400_000],
    ["an hour ahead, as in another time zone", 3_600_000],
  ])("is corrected by the time of sending: %s", (_name, offMs) => {
    const { spans, errors, drops } = sent(new Date(receivedMs + offMs).toISOString(), receivedMs + offMs - 1_000)
    expect(drops).toStrictEqual([])
    expect(spans).toMatchObject([{ startTime: RECEIVED - 1_000_000_000n, endTime: RECEIVED - 995_000_000n }])
    expect(errors).toMatchObject([{ time: RECEIVED - 1_000_000_000n }])
  })

  test.each([
    ["wrong by less than 55 minutes", new Date(receivedMs - 54 * 60_000).toISOString()],
    ["missing", undefined],
    ["malformed", "yesterday"],
  ])("is not corrected if it is %s", (_name, sentAt) => {
    expect(sent(sentAt, receivedMs - 1_000).spans).toMatchObject([{ startTime: RECEIVED - 1_000_000_000n }])
  })
})

describe("span items", () => {
  test("of the second protocol keep the types of their attributes", () => {
    const span = {
      name: "root op",
      trace_id: TRACE_ID,
      span_id: ROOT_ID,
      start_timestamp: 1_795_197_401.3332,
      end_timestamp: 1_795_197_401.3391557,
      is_segment: true,
      status: "error",
      attributes: {
        "sentry.op": { value: "http.client", type: "string" },
        "sentry.environment": { value: "dev", type: "string" },
        "sentry.release": { value: "1.2", type: "string" },
        whole: { value: 2, type: "double" },
        integer: { value: 2, type: "integer" },
        yes: { value: true, type: "boolean" },
        list: { value: ["x"], type: "array" },
        broken: 5,
      },
      links: [{ trace_id: TRACE_ID, span_id: CHILD_ID, attributes: { a: { value: "b", type: "string" } } }],
    }
    const { spans } = decode(
      item("span", { version: 2, items: [span, { ...span, span_id: CHILD_ID }] }, { item_count: 2 }),
    )
    expect(spans).toHaveLength(2)
    expect(spans[0]).toMatchObject({ name: "root op", kind: "client", status: { code: "error" }, source: "sentry" })
    expect(spans[0]!.attributes.get("whole")).toBe(2)
    expect(spans[0]!.attributes.get("integer")).toBe(2n)
    expect(spans[0]!.attributes.get("list")).toStrictEqual(["x"])
    expect(spans[0]!.attributes.has("broken")).toBe(false)
    expect(spans[0]!.links).toMatchObject([{ spanId: CHILD_ID, attributes: new Map([["a", "b"]]) }])
    expect(spans[0]!.resource.attributes.get("deployment.environment.name")).toBe("dev")
    expect(spans[0]!.resource.attributes.get("service.name")).toBe("javascript.node")
    expect(spans[1]!.resource).toBe(spans[0]!.resource)
  })

  test("of the second protocol name their service, which is not the host", () => {
    const resourceOf = (attributes: Record<string, string>) => {
      const typed = Object.entries(attributes).map(([key, value]) => [key, { value, type: "string" }])
      const times = { start_timestamp: 1_795_197_401, end_timestamp: 1_795_197_402 }
      const span = { name: "a", trace_id: TRACE_ID, span_id: ROOT_ID, ...times, attributes: Object.fromEntries(typed) }
      const { attributes: resource } = decode(item("span", { version: 2, items: [span] }, { item_count: 1 })).spans[0]!
        .resource
      return [resource.get("service.name"), resource.get("host.name")]
    }
    expect(resourceOf({ "service.name": "shop" })).toEqual(["shop", undefined])
    expect(resourceOf({ "service.name": "shop", "sentry.server_name": "web-1" })).toEqual(["shop", "web-1"])
    expect(resourceOf({ "sentry.server_name": "web-1" })).toEqual(["web-1", "web-1"])
  })

  test("of the first protocol are one span each", () => {
    const [child] = transaction().spans
    const { spans } = decode(item("span", child))
    expect(spans).toMatchObject([{ spanId: CHILD_ID, name: "SELECT 1" }])
  })

  test("of the first protocol have the service, the release and the environment in their data", () => {
    const [child] = transaction().spans
    const data = { "service.name": "shop-browser", release: "shop@1.2.3", environment: "staging" }
    const { attributes } = decode(item("span", { ...child, data })).spans[0]!.resource
    expect(Object.fromEntries(attributes)).toMatchObject({
      "service.name": "shop-browser",
      "service.version": "shop@1.2.3",
      "deployment.environment.name": "staging",
    })
  })
})

test("logs have their level, trace and typed attributes", () => {
  const log = {
    timestamp: 1_795_197_401.3385553,
    level: "warn",
    body: "hello log",
    trace_id: TRACE_ID,
    attributes: { k: { value: 1, type: "integer" }, "sentry.trace.parent_span_id": { value: ROOT_ID, type: "string" } },
  }
  const { logs, drops } = decode(item("log", { version: 2, items: [log, log, { body: "no time" }] }, { item_count: 3 }))
  expect(logs).toHaveLength(2)
  expect(logs[0]).toMatchObject({
    time: 1_795_197_401_338_555_300n,
    traceId: TRACE_ID,
    spanId: ROOT_ID,
    severityNumber: 13,
    severityText: "warn",
    body: "hello log",
    source: "sentry",
  })
  expect(logs[0]!.attributes.get("k")).toBe(1n)
  expect(logs[0]!.logId).not.toBe(logs[1]!.logId)
  expect(drops).toMatchObject([{ reason: "invalid", category: "log_item", count: 1 }])
})

describe("a drop is counted", () => {
  test("for a malformed payload, which drops only its item", () => {
    const { drops, errors } = decode(item("transaction", "{broken"), item("event", errorEvent()))
    expect(errors).toHaveLength(1)
    expect(drops).toMatchObject([{ reason: "malformed", category: "transaction", count: 1 }])
  })

  test("for a client report, under Sentry's own reasons", () => {
    const discarded = [
      { reason: "ratelimit_backoff", category: "span", quantity: 3 },
      { reason: "ratelimit_backoff", category: "span", quantity: 4 },
      { reason: "tomorrow's reason", category: "tomorrow's category", quantity: 1 },
      { reason: "sample_rate", category: "transaction", quantity: -1 },
      "nonsense",
    ]
    const { reported, drops } = decode(item("client_report", { timestamp: 1, discarded_events: discarded }))
    expect(drops).toStrictEqual([])
    expect(reported).toStrictEqual([
      { reason: "ratelimit_backoff", category: "span", count: 7, sample: "reported by an SDK" },
      { reason: "internal_sdk_error", category: "unknown", count: 1, sample: "reported by an SDK" },
    ])
    expect(DROP_REASONS).toContain("ratelimit_backoff")
  })
})
