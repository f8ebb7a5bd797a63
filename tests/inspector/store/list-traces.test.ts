import { beforeAll, describe, expect, test } from "vitest"
import type { TraceListQuery } from "#otel/inspector/queries/list/trace-reader.ts"
import type { TraceSummary } from "#otel/inspector/queries/list/trace-summary.ts"
import { parseFilter } from "#otel/inspector/search/index.ts"
import type { Store } from "#otel/inspector/store/store.ts"
import { ago, plus, service, span, spanId, traceId } from "./spans.ts"
import { storeOfFile } from "./stores.ts"

const store = storeOfFile()

/** Reads all pages of a list in order. */
async function allPages(store: Store, query: TraceListQuery): Promise<TraceSummary[]> {
  const traces: TraceSummary[] = []
  let after: string | undefined
  do {
    const page = await store.listTraces({ ...query, after })
    traces.push(...page.traces)
    after = page.next
  } while (after !== undefined)
  return traces
}

test("a trace is summarized over all its spans", async () => {
  const start = ago(1_000)
  await store().insertSpans(
    [
      span(1, 11, { startTime: start, endTime: plus(start, 100n), name: "/cart", resource: service("web") }),
      span(1, 12, { startTime: plus(start, -50n), parentSpanId: spanId(11), resource: service("api") }),
    ],
    "first part",
  )
  await store().insertSpans(
    [
      span(1, 13, {
        startTime: plus(start, 10n),
        endTime: plus(start, 500n),
        parentSpanId: spanId(11),
        status: { code: "error", message: "" },
        resource: service("db"),
        source: "sentry",
      }),
    ],
    "second part",
  )
  const { traces } = await store().listTraces({ limit: 10, service: "db" })
  expect(traces).toStrictEqual([
    {
      traceId: traceId(1),
      name: "/cart",
      isProvisional: false,
      services: ["web", "api", "db"],
      startTime: plus(start, -50n),
      duration: 5_000_000n,
      spanCount: 3,
      errorCount: 1,
      sources: ["otlp", "sentry"],
    },
  ])
})

test("a web vital that settles when the visitor leaves is no time of the trace, neither in the list nor in its filter and order", async () => {
  const resource = service("late vital")
  const startTime = ago(950)
  const late = { resource, startTime, endTime: plus(startTime, 60_000_000_000n) }
  await store().insertSpans(
    [
      span(5, 51, { resource, startTime, endTime: plus(startTime, 991n) }),
      span(5, 52, { ...late, parentSpanId: spanId(51), name: "browser.web_vital.lcp" }),
      span(6, 61, { resource, startTime, endTime: plus(startTime, 5_000n) }),
      span(7, 71, { ...late, parentSpanId: spanId(70), name: "browser.web_vital.cls" }),
    ],
    "late vitals",
  )
  const list = async (query: Partial<TraceListQuery>) =>
    (await store().listTraces({ limit: 9, service: "late vital", ...query })).traces.map(
      ({ traceId: id, duration }) => [id, duration],
    )
  const order = { by: "duration", isAscending: true } as const
  expect(await list({ order })).toEqual([
    [traceId(7), 0n],
    [traceId(5), 991n],
    [traceId(6), 5_000n],
  ])
  expect(await list({ filter: parseFilter("duration>1us").tree })).toEqual([[traceId(6), 5_000n]])
})

test("a trace whose root has not arrived is listed under its earliest span, and under its root once it arrives", async () => {
  const start = ago(900)
  const list = async () => (await store().listTraces({ limit: 5, service: "late root" })).traces.map(({ name }) => name)
  const resource = service("late root")
  await store().insertSpans(
    [
      span(2, 21, { startTime: plus(start, 2n), parentSpanId: spanId(20), name: "later child", resource }),
      span(2, 22, { startTime: plus(start, 1n), parentSpanId: spanId(20), name: "early child", resource }),
    ],
    "children",
  )
  expect(await list()).toStrictEqual(["early child"])
  await store().insertSpans([span(2, 20, { startTime: plus(start, 3n), name: "root", resource })], "root")
  expect(await list()).toStrictEqual(["root"])
})

describe("pages of the list", () => {
  const TRACES = 21
  const resource = service("paged")
  const base = ago(3_600_000)

  test("have no gaps or repetitions, newest first, ties by id", async () => {
    // Three traces share each start; every trace has a second part in a later insert.
    const first = Array.from({ length: TRACES }, (_, index) =>
      span(1_000 + index, 2_000 + index, { startTime: plus(base, BigInt(Math.floor(index / 3)) * 1_000n), resource }),
    )
    const second = first.map((record, index) =>
      span(1_000 + index, 3_000 + index, {
        startTime: plus(record.startTime, 50_000n),
        parentSpanId: record.spanId,
        resource,
      }),
    )
    await store().insertSpans(first, "paged first")
    await store().insertSpans(second, "paged second")
    const expected = Array.from({ length: TRACES }, (_, index) => traceId(999 + TRACES - index))
    for (const limit of [1, 7, 20, TRACES, 1_000]) {
      const traces = await allPages(store(), { limit, service: "paged" })
      expect(traces.map((trace) => trace.traceId)).toStrictEqual(expected)
      expect(new Set(traces.map((trace) => trace.spanCount))).toStrictEqual(new Set([2]))
    }
  })

  test("contain every trace of a moment at which more started than a page scans", async () => {
    const startTime = ago(7_200_000)
    const tied = Array.from({ length: 700 }, (_, index) =>
      span(10_000 + index, 20_000 + index, { startTime, resource: service("tied") }),
    )
    await store().insertSpans(tied, "tied")
    const expected = tied.map((record) => record.traceId).toReversed()
    const scope = { until: plus(startTime, 1n), since: startTime }
    for (const query of [{ service: "tied" }, scope])
      for (const limit of [100, 300]) {
        const traces = await allPages(store(), { ...query, limit })
        expect(traces.map((trace) => trace.traceId)).toStrictEqual(expected)
      }
  })

  test("keep their position while newer traces arrive", async () => {
    const before = await store().listTraces({ limit: 10, service: "paged" })
    await store().insertSpans([span(4_000, 4_000, { resource })], "newer")
    const after = await store().listTraces({ limit: 10, service: "paged", after: before.next })
    expect(after.traces[0]?.traceId).toBe(traceId(1_010))
  })

  test("start at the beginning for an invalid cursor", async () => {
    const { traces } = await store().listTraces({ limit: 1, service: "paged", after: "garbage'; --" })
    expect(traces[0]?.traceId).toBe(traceId(4_000))
  })

  test("a last page has no next one", async () => {
    expect((await store().listTraces({ limit: TRACES + 1, service: "paged" })).next).toBeUndefined()
    expect((await store().listTraces({ limit: TRACES, service: "paged" })).next).toBeDefined()
  })
})

test("a trace that the queried service joined late is listed where the trace started", async () => {
  const start = ago(2_000)
  await store().insertSpans(
    [
      span(31, 310, { startTime: start }),
      span(32, 320, { startTime: plus(start, 1_000n) }),
      span(32, 321, { startTime: plus(start, 2_000n), parentSpanId: spanId(320), resource: service("joins") }),
    ],
    "joins early",
  )
  await store().insertSpans(
    [span(31, 311, { startTime: plus(start, 9_000n), parentSpanId: spanId(310), resource: service("joins") })],
    "joins late",
  )
  const traces = await allPages(store(), { limit: 1, service: "joins" })
  expect(traces.map((trace) => trace.traceId)).toStrictEqual([traceId(32), traceId(31)])
})

describe("without some services, the list", () => {
  // Later than the spans of other tests, so that a bound separates them.
  const base = ago(-60_000)
  const at = (index: number) => plus(base, BigInt(index) * 1_000_000n)
  const own = [service("own"), service("own page")]
  const { tree: filter } = parseFilter('{-service:(own "own page")}')
  /** Traces 0x7000 and up: two of three have spans of the own services only. */
  const TRACES = 60
  const isListed = (index: number) => index % 3 === 0

  beforeAll(async () => {
    const spans = Array.from({ length: TRACES }, (_, index) => {
      const first = span(0x7000 + index, 0x70_000 + index, {
        startTime: at(index),
        endTime: at(index + ((index * 7) % 31)),
        resource: isListed(index) && index % 2 === 0 ? service("web") : own[index % 2]!,
      })
      const id = spanId(0x71_000 + index)
      return [first, { ...first, spanId: id, parentSpanId: first.spanId, resource: own[0]! }]
    })
    await store().insertSpans(spans.flat(), "own and others")
    // The others join the rest of their traces late, after the newest trace began.
    const joined = Array.from({ length: TRACES }, (_, index) => index).filter((i) => isListed(i) && i % 2 === 1)
    const late = joined.map((index) =>
      span(0x7000 + index, 0x72_000 + index, {
        startTime: at(TRACES + index),
        endTime: at(TRACES + index),
        parentSpanId: spanId(0x70_000 + index),
        resource: service("db"),
      }),
    )
    await store().insertSpans(late, "others join late")
  })

  test("has the traces in which another took part, in pages and in any order", async () => {
    const listed = Array.from({ length: TRACES }, (_, index) => index).filter(isListed)
    const newestFirst = listed.toReversed().map((index) => traceId(0x7000 + index))
    for (const limit of [7, 1_000])
      expect((await allPages(store(), { limit, since: base, filter })).map((trace) => trace.traceId)).toEqual(
        newestFirst,
      )
    const ofWeb = listed
      .filter((index) => index % 2 === 0)
      .toReversed()
      .map((index) => traceId(0x7000 + index))
    const { tree: webToo } = parseFilter('service:web {-service:(own "own page")}')
    expect((await allPages(store(), { limit: 7, since: base, filter: webToo })).map((trace) => trace.traceId)).toEqual(
      ofWeb,
    )

    const order = { by: "duration", isAscending: false } as const
    const sorted = await allPages(store(), { limit: 7, since: base, filter, order })
    expect(sorted.map((trace) => trace.traceId).toSorted()).toEqual(newestFirst.toSorted())
    const durations = sorted.map(({ duration }) => duration)
    expect(durations).toEqual(durations.toSorted((a, b) => Number(b - a)))
    expect(new Set(sorted.map(({ spanCount }) => spanCount))).toEqual(new Set([2, 3]))
  })

  test("counts a trace that another joined after the end of the time range", async () => {
    const scope = { since: base, until: at(TRACES / 2), filter }
    const expected = Array.from({ length: TRACES / 2 }, (_, index) => index).filter(isListed)
    expect((await allPages(store(), { ...scope, limit: 7 })).length).toBe(expected.length)
    expect((await store().measureTraces(scope)).traces).toBe(expected.length)
  })

  test("has the traces of two such conditions, which different spans may meet", async () => {
    const { tree } = parseFilter("{-service:web} {-service:own}")
    const both = await allPages(store(), { limit: 7, since: base, filter: tree })
    const expected = Array.from({ length: TRACES }, (_, index) => index).filter((i) => isListed(i) || i % 2 === 1)
    expect(both.map((trace) => trace.traceId)).toEqual(expected.toReversed().map((index) => traceId(0x7000 + index)))
  })
})

test("since omits traces that began earlier, even if they continued later", async () => {
  const start = ago(500)
  const resource = service("since")
  await store().insertSpans(
    [
      span(41, 410, { startTime: plus(start, -1n), resource }),
      span(41, 411, { startTime: plus(start, 5n), parentSpanId: spanId(410), resource }),
      span(42, 420, { startTime: start, resource }),
    ],
    "since",
  )
  const { traces } = await store().listTraces({ limit: 10, service: "since", since: start })
  expect(traces.map((trace) => trace.traceId)).toStrictEqual([traceId(42)])
})

test("a service name is never SQL", async () => {
  const hostile = "' OR 1=1 --\\"
  expect((await store().listTraces({ limit: 10, service: hostile })).traces).toStrictEqual([])
  await store().insertSpans([span(51, 510, { resource: service(hostile) })], "hostile")
  const { traces } = await store().listTraces({ limit: 10, service: hostile })
  expect(traces.map((trace) => trace.services)).toStrictEqual([[hostile]])
})

test("all traces that match a rare value are listed, in order and in pages, however old they are", async () => {
  const far = ago(3_600_000)
  const needles = new Set([1, 2_000, 3_999])
  const spans = Array.from({ length: 4_000 }, (_, index) =>
    span(0x9000 + index, 0x90000 + index, {
      startTime: plus(far, BigInt(index) * 1_000_000n),
      resource: service("hay"),
      attributes: new Map([["needle", needles.has(index) ? "yes" : "no"]]),
    }),
  )
  // A later part of the oldest trace, which is listed where it started.
  const late = span(0x9001, 0xa0000, { parentSpanId: spanId(0x90001), resource: service("hay"), startTime: ago(1_000) })
  await store().insertSpans([...spans, late], "hay")
  const { tree: filter } = parseFilter("needle:yes")
  const expected = [0x9000 + 3_999, 0x9000 + 2_000, 0x9001].map(traceId)
  for (const limit of [1, 2, 10]) {
    const found = await allPages(store(), { limit, filter })
    expect(found.map((trace) => trace.traceId)).toStrictEqual(expected)
    expect(found.at(-1)?.spanCount).toBe(2)
  }
  const { tree: many } = parseFilter("needle:no service:hay")
  const first = await store().listTraces({ limit: 1_000, filter: many })
  expect(new Set(first.traces.map((trace) => trace.traceId)).size).toBe(1_000)
})
