import { describe, expect, test } from "vitest"
import { connect } from "#otel/inspector/store/clickhouse.ts"
import { readOutline } from "#otel/inspector/store/read/traces/read-outline.ts"
import { textAt } from "#otel/inspector/queries/trace/columns/typed-arrays.ts"
import type { TraceOutline } from "#otel/inspector/queries/trace/trace-outline.ts"
import { SPAN_KINDS, type SpanRecord } from "#otel/protocol/records/span.ts"
import { readInBatches } from "#otel/inspector/queries/trace/span-batches.ts"
import { nanoseconds } from "#otel/protocol/records/time.ts"
import { secret } from "#otel/protocol/secret.ts"
import { directoryOfTest } from "./directories.ts"
import { portOf, processOfTest, TOKEN } from "./process/processes.ts"
import { ago, plus, service, span, spanId, traceId } from "./spans.ts"
import { storeOfFile, storeOfTest } from "./stores.ts"

const store = storeOfFile()
const start = plus(ago(60_000), 123_456_789n)
const MS = 1_000_000n

function textsOfOutline(outline: TraceOutline | undefined) {
  return (
    outline && {
      ids: Array.from(outline.kinds, (_, span) => outline.ids.text(span)),
      parentIds: Array.from(outline.kinds, (_, span) => outline.parentIds.text(span)),
      names: Array.from(outline.kinds, (_, span) => textAt(outline.names, span)),
      services: Array.from(outline.kinds, (_, span) => textAt(outline.services, span)),
      kinds: Array.from(outline.kinds, (kind) => SPAN_KINDS[kind]),
    }
  )
}

describe("the outline of a trace", () => {
  test("has the data of each span that a waterfall needs, to the nanosecond", async () => {
    const spans = [
      span(1, 12, {
        parentSpanId: spanId(11),
        kind: "client",
        name: "a, 'name'\n",
        resource: service("api"),
        startTime: plus(start, 7n),
        endTime: plus(start, 9n),
        status: { code: "error", message: "" },
        events: [
          { time: plus(start, 8n), name: "exception", attributes: new Map() },
          { time: plus(start, 1n), name: "early", attributes: new Map() },
        ],
      }),
      span(1, 11, { startTime: start, endTime: plus(start, 100n) }),
    ]
    await store().insertSpans([...spans, span(2, 21)], "outline")
    const outline = await store().readOutline(traceId(1))
    expect(textsOfOutline(outline)).toEqual({
      ids: [spanId(11), spanId(12)],
      parentIds: ["", spanId(11)],
      names: ["span 11", "a, 'name'\n"],
      services: ["shop", "api"],
      kinds: ["server", "client"],
    })
    expect(outline).toMatchObject({
      startTime: start,
      offsets: Float64Array.of(0, 7),
      durations: Float64Array.of(100, 2),
      errors: Uint8Array.of(0, 1),
      events: [
        { span: 1, offset: 8, isException: true },
        { span: 1, offset: 1, isException: false },
      ],
      stored: 2,
    })
  })

  test.each([
    ["http.response.size", "http.response.body.decoded_size"],
    ["http.response_transfer_size", "http.decoded_response_content_length"],
  ])("marks what a page took from the browser's memory, by %s", async (transferred, decoded) => {
    const trace = transferred.length
    const sizes = (all: bigint, body: bigint) =>
      new Map([
        [transferred, all],
        [decoded, body],
      ])
    const resources = [
      { attributes: sizes(0n, 900n) },
      { attributes: sizes(0n, 900n), endTime: plus(start, 9n) },
      // From another origin, which does not say its sizes.
      { attributes: sizes(0n, 0n) },
      { attributes: sizes(300n, 900n) },
      {},
    ]
    const spans = resources.map((fields, index) =>
      span(trace, index + 1, { startTime: start, endTime: start, ...fields }),
    )
    await store().insertSpans(spans, transferred)
    const outline = await store().readOutline(traceId(trace))
    expect(outline?.ids.text(outline.cached.indexOf(1))).toBe(spanId(1))
    expect(outline?.cached.filter((each) => each === 1).length).toBe(1)
  })

  test("is in order of start time, of spans that start together the longer first, then by id", async () => {
    const both = [
      span(3, 31, { startTime: start, endTime: plus(start, 5n) }),
      span(3, 32, { startTime: start, endTime: plus(start, 9n) }),
      span(3, 0x100, { startTime: start, endTime: plus(start, 5n) }),
      span(3, 33, { startTime: plus(start, -1n), endTime: start }),
    ]
    await store().insertSpans(both, "order")
    expect(textsOfOutline(await store().readOutline(traceId(3)))?.ids).toEqual([33, 32, 31, 0x100].map(spanId))
  })

  test("has a span once that was sent twice, in a repeated request or over two protocols, as OTLP sent it", async () => {
    const otlps = span(4, 41, { startTime: start, name: "otlp's" })
    const sentrys = span(4, 41, {
      startTime: plus(start, -300n),
      name: "sentry's",
      source: "sentry",
      resource: service("other"),
    })
    await store().insertSpans([sentrys, otlps], "first")
    await store().insertSpans([otlps], "again")
    const outline = await store().readOutline(traceId(4))
    expect(outline).toMatchObject({ stored: 1, startTime: start, services: { values: ["shop"] } })
    expect(textsOfOutline(outline)?.names).toEqual(["otlp's"])
    expect((await store().readTrace(traceId(4))).map(({ name }) => name)).toEqual(["otlp's"])
  })

  test("has a span that only Sentry's protocol sent", async () => {
    await store().insertSpans([span(5, 51, { source: "sentry" })], "alone")
    expect(textsOfOutline(await store().readOutline(traceId(5)))?.ids).toEqual([spanId(51)])
  })

  test("separates spans of two services that share one span id", async () => {
    const event = { time: start, name: "exception", attributes: new Map() }
    const called = span(6, 61, { resource: service("called"), events: [event] })
    await store().insertSpans([span(6, 61), called], "shared")
    const outline = await store().readOutline(traceId(6))
    expect(textsOfOutline(outline)?.services.toSorted()).toEqual(["called", "shop"])
    expect(outline?.events.map(({ span }) => textAt(outline.services, span))).toEqual(["called"])
  })

  test("has client and server of a call that share an id, as its whole spans do, also once their rows have merged", async () => {
    const port = await portOf(processOfTest(), directoryOfTest())
    const url = secret(`http://default:${encodeURIComponent(TOKEN)}@127.0.0.1:${port}`)
    const own = storeOfTest({ url })
    await own.ready()
    await own.insertSpans([span(13, 131, { kind: "client", name: "call" })], "client")
    await own.insertSpans([span(13, 131, { name: "serve", resource: service("called") })], "server")
    const read = async () => {
      const whole = await own.readTrace(traceId(13))
      const batches = await readInBatches(own, traceId(13))
      const names: string[] = []
      for await (const spans of batches!.batches) names.push(...spans.map(({ name }) => name))
      return { whole: whole.map(({ name }) => name).toSorted(), ...batches, batches: names.toSorted() }
    }
    const both = ["call", "serve"]
    expect(await read()).toEqual({ whole: both, spanCount: 2, storedCount: 2, batches: both })
    await connect({ url, embedded: true }).run("OPTIMIZE TABLE pagespan_spans FINAL")
    expect(await read()).toEqual({ whole: both, spanCount: 2, storedCount: 2, batches: both })
  })

  test("of more rows than its limit has the earliest spans, each once, and says how many are stored", async () => {
    const port = await portOf(processOfTest(), directoryOfTest())
    const url = secret(`http://default:${encodeURIComponent(TOKEN)}@127.0.0.1:${port}`)
    const own = storeOfTest({ url })
    await own.ready()
    const spans = [4, 2, 3, 1].map((id) => span(12, id, { startTime: plus(start, BigInt(id)) }))
    await own.insertSpans(spans, "more")
    await own.insertSpans(spans, "repeated")
    const context = { clickhouse: connect({ url, embedded: true }), oldest: nanoseconds(0n), from: String }
    const read = async (limit: number) => {
      const outline = await readOutline(context, traceId(12), limit)
      return { ids: textsOfOutline(outline)?.ids, stored: outline?.stored }
    }
    const ids = [1, 2, 3, 4].map(spanId)
    expect(await own.countSpans(traceId(12))).toBe(4)
    expect(await read(8)).toEqual({ ids, stored: 4 })
    expect(await read(5)).toEqual({ ids, stored: 4 })
    expect(await read(3)).toEqual({ ids: ids.slice(0, 3), stored: 4 })
  })

  test("does not exist for an unknown trace", async () => {
    expect(await store().readOutline(traceId(404))).toBeUndefined()
    expect(await store().countSpans(traceId(404))).toBe(0)
  })
})

describe("a span", () => {
  test("is read as each protocol sent it, OTLP first, without the rest of the trace", async () => {
    const otlp = span(7, 71, { startTime: start, attributes: new Map([["n", 5n]]), name: "GET" })
    const sentry: SpanRecord = {
      ...otlp,
      source: "sentry",
      startTime: plus(start, -321n),
      name: "GET /x",
      attributes: new Map([
        ["n", "five"],
        ["op", "http"],
      ]),
    }
    await store().insertSpans([sentry, otlp, span(7, 72, { startTime: start })], "both")
    expect(await store().readSpan(traceId(7), spanId(71))).toStrictEqual([otlp, sentry])
    expect((await store().readSpan(traceId(7), spanId(72))).map(({ spanId }) => spanId)).toEqual([spanId(72)])
    expect(await store().readSpan(traceId(7), spanId(99))).toEqual([])
    expect(await store().readSpan(traceId(404), spanId(71))).toEqual([])
  })

  test("that both protocols sent alike is two equal records", async () => {
    const otlp = span(8, 81, { startTime: start })
    await store().insertSpans([otlp, { ...otlp, source: "sentry" }], "alike")
    expect((await store().readSpan(traceId(8), spanId(81))).map(({ source }) => source)).toEqual(["otlp", "sentry"])
  })

  test("of many is read once, in full", async () => {
    const spans = Array.from({ length: 3_000 }, (_, i) =>
      span(9, 9_000 + i, { startTime: plus(start, BigInt(i)), attributes: new Map([["i", BigInt(i)]]) }),
    )
    await store().insertSpans(spans, "many")
    const ids = spans.map(({ spanId }) => spanId)
    expect(await store().readSpans(traceId(9), [...ids, spanId(5)])).toStrictEqual(spans)
    expect(await store().readSpans(traceId(9), [])).toEqual([])
  })
})

describe("beyond its trace, a span has", () => {
  test("a rank among the spans of its service and name, each counted once", async () => {
    const peers = Array.from({ length: 10 }, (_, i) =>
      span(100 + i, 1_000 + i, { name: "ranked", startTime: start, endTime: plus(start, BigInt(i + 1) * MS) }),
    )
    await store().insertSpans([...peers, span(110, 1_010, { name: "ranked", resource: service("other") })], "peers")
    await store().insertSpans(peers.slice(0, 3), "peers again")
    expect(await store().readPeers({ service: "shop", name: "ranked", duration: nanoseconds(8n * MS) })).toEqual({
      count: 10,
      below: 7,
      isCapped: false,
      p50: 6n * MS,
      p95: 10n * MS,
      slowest: 10n * MS,
    })
    expect(await store().readPeers({ service: "shop", name: "unheard of", duration: nanoseconds(1n) })).toMatchObject({
      count: 0,
    })
  })

  test("a list of other traces with the same first span, newest first", async () => {
    const root = (trace: number, ms: bigint) => span(trace, trace, { name: "begins", startTime: plus(start, ms * MS) })
    const child = span(203, 2_030, { name: "begins", parentSpanId: spanId(203), startTime: plus(start, 9n * MS) })
    await store().insertSpans([root(201, 1n), root(202, 2n), root(203, 3n), child], "begin alike")
    const others = await store().listPeerTraces({ service: "shop", name: "begins", except: traceId(202) }, 10)
    expect(others.map(({ traceId }) => traceId)).toEqual([203, 201].map(traceId))
  })

  test("a list of spans that link to it", async () => {
    const link = (trace: number, id: number) => ({
      traceId: traceId(trace),
      spanId: spanId(id),
      traceState: "",
      attributes: new Map(),
    })
    await store().insertSpans(
      [
        span(301, 3_001, { name: "linking", links: [link(9, 1), link(300, 3_000)] }),
        span(302, 3_002, { links: [link(300, 9)] }),
      ],
      "links",
    )
    expect(await store().readBackLinks(traceId(300), spanId(3_000))).toEqual([
      { traceId: traceId(301), spanId: spanId(3_001), name: "linking", service: "shop" },
    ])
  })
})
