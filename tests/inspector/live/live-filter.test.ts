import { describe, expect, test } from "vitest"
import { LiveFeed } from "#otel/inspector/live/live-feed.ts"
import { LiveFilter } from "#otel/inspector/live/live-filter.ts"
import { summariseSpans } from "#otel/inspector/queries/trace/trace-delta.ts"
import { parseFilter } from "#otel/inspector/search/index.ts"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { error } from "#tests/inspector/store/events.ts"
import { service, span, spanId, traceId } from "#tests/inspector/store/spans.ts"
import { startReceiver } from "#tests/inspector/ingest/receiver-under-test.ts"

const failed = { code: "error", message: "" } as const

/** A live feed with one subscriber, which has this filter. */
function reader(text: string) {
  const feed = new LiveFeed()
  const subscription = feed.subscribe(parseFilter(text).tree)
  return {
    publish: (...spans: Parameters<typeof span>[]) =>
      feed.publish({ spans: spans.map((one) => span(...one)), errors: [], items: [], logs: [] }, 1),
    report: (trace: number, count = 1) => {
      const errors = Array.from({ length: count }, (_, id) => error(trace, id))
      feed.publish({ spans: [], errors, items: [], logs: [] }, 1)
    },
    subscription,
  }
}

describe("a live feed with a filter", () => {
  test("sends a trace in full when it first matches, and then only its new spans", async () => {
    const { publish, subscription } = reader("status:error service:db")
    publish([1, 1, { name: "/cart" }])
    expect(await subscription.next(10)).toMatchObject({ traces: [], others: [{ traceId: traceId(1), spanCount: 1 }] })
    publish([1, 2, { parentSpanId: spanId(1), status: failed }])
    publish([1, 3, { parentSpanId: spanId(1), resource: service("db") }])
    const full = await subscription.next(10)
    expect(full?.traces).toMatchObject([{ name: "/cart", spanCount: 3, errorCount: 1, services: ["shop", "db"] }])
    publish([1, 4, { parentSpanId: spanId(1) }])
    expect((await subscription.next(10))?.traces).toMatchObject([{ spanCount: 1 }])
  })

  test("sends a trace that no longer matches apart from those that match", async () => {
    const { publish, subscription } = reader("-name:prefetch")
    publish([1, 2, { name: "child", parentSpanId: spanId(1) }])
    expect((await subscription.next(10))?.traces).toHaveLength(1)
    publish([1, 1, { name: "prefetch /cart" }])
    expect(await subscription.next(10)).toMatchObject({ traces: [], others: [{ name: "prefetch /cart" }] })
  })

  test("of missing parents sends a trace while one is missing, in whatever batches its spans arrive", async () => {
    const { publish, subscription } = reader("missing:parent")
    const next = async () => {
      const update = await subscription.next(10)
      return { traces: update?.traces.map(({ spanCount }) => spanCount), others: update?.others.length }
    }
    publish([1, 2, { parentSpanId: spanId(1) }], [2, 20])
    expect(await next()).toEqual({ traces: [1], others: 1 })
    publish([1, 1])
    expect(await next()).toEqual({ traces: [], others: 1 })
    publish([1, 3, { parentSpanId: spanId(9) }])
    expect(await next()).toEqual({ traces: [3], others: 0 })
    publish([1, 9, { parentSpanId: spanId(1) }], [1, 4, { parentSpanId: spanId(8) }])
    expect(await next()).toEqual({ traces: [2], others: 0 })
  })

  test("of missing parents holds a bounded number of span ids, those of the latest traces", () => {
    const filter = new LiveFilter(parseFilter("missing:parent").tree!)
    const match = (trace: number, spans: readonly SpanRecord[]) =>
      filter.match(summariseSpans(traceId(trace), spans), spans)
    const children = (trace: number, count: number) =>
      Array.from({ length: count }, (_, index) => span(trace, index + 2, { parentSpanId: spanId(1) }))
    const parent = (trace: number) => [span(trace, 1)]
    expect(match(1, children(1, 10))).toBeDefined()
    expect(match(2, children(2, 49_980))).toBeDefined()
    // Both are within the limit: each is complete once its parent is there.
    expect(match(1, parent(1))).toBeUndefined()
    expect(match(2, parent(2))).toBeUndefined()
    expect(match(3, children(3, 100))).toBeDefined()
    // The first trace is forgotten, so its parent is unknown again.
    expect(match(1, children(1, 1))).toBeDefined()
    expect(match(3, parent(3))).toBeUndefined()
  })

  test("of a number of errors counts those that were reported, before the spans of their trace or after them", async () => {
    const { publish, report, subscription } = reader("errors>1")
    report(1)
    publish([1, 1, { name: "/cart" }], [2, 20])
    expect((await subscription.next(10))?.traces).toEqual([])
    report(1)
    report(2, 2)
    expect((await subscription.next(10))?.traces).toMatchObject([
      { name: "/cart", spanCount: 1, errorCount: 0, reportedErrorCount: 2 },
      { traceId: traceId(2), reportedErrorCount: 2 },
    ])
    // What the list shows is now the number of its failed spans.
    publish([1, 2, { parentSpanId: spanId(1), status: failed }])
    expect(await subscription.next(10)).toMatchObject({ traces: [], others: [{ traceId: traceId(1) }] })
    const without = reader("errors:0")
    without.publish([1, 1])
    without.report(1)
    expect(await without.subscription.next(10)).toMatchObject({ traces: [], others: [{ traceId: traceId(1) }] })
  })

  test("of a number of errors holds a bounded number of traces that have nothing but errors", () => {
    const filter = new LiveFilter(parseFilter("errors>0").tree!)
    for (let trace = 1; trace <= 5_001; trace++) filter.addErrors(traceId(trace), 1)
    const match = (trace: number) => filter.match(summariseSpans(traceId(trace), [span(trace, 1)]), [span(trace, 1)])
    expect(match(5_001)).toBeDefined()
    expect(match(1)).toBeUndefined()
  })

  test("counts as skipped only matching traces", async () => {
    const { publish, subscription } = reader("service:web")
    publish(...Array.from({ length: 700 }, (_, id): Parameters<typeof span> => [id + 1, id + 1]))
    publish(
      ...Array.from({ length: 510 }, (_, id): Parameters<typeof span> => [
        id + 5_000,
        id + 5_000,
        { resource: service("web") },
      ]),
    )
    const news = await subscription.next(10)
    expect([news?.traces.length, news?.skipped]).toEqual([500, 10])
  })
})

test("a filter that does not parse is refused with its position", async () => {
  const { receiver } = await startReceiver()
  const response = receiver.live(
    new Request(`http://localhost/live?${new URLSearchParams({ q: "duration>fast" })}`, {
      headers: { host: "localhost" },
    }),
  )
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ start: 9, end: 13 })
})

test("own=hide lets no internal trace match, also with a filter of as many terms as one may have", async () => {
  const { receiver } = await startReceiver({ internalServices: ["pagespan", "pagespan-browser"] })
  const q = Array.from({ length: 60 }, (_, term) => `-name:other${term}`).join(" ")
  const response = receiver.live(
    new Request(`http://localhost/live?${new URLSearchParams({ q, own: "hide" })}`, { headers: { host: "localhost" } }),
  )
  expect(response.status).toBe(200)
  const reading = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  expect((await reading.read()).value).toContain("retry")
  const [web, own] = ["web", "pagespan-browser"].map((name, i) => span(i + 1, i + 1, { resource: service(name) }))
  await receiver.ingest({ spans: [web!, own!] })
  const { value } = await reading.read()
  const ids = (event: string) => new RegExp(`event: ${event}\\n.*"traceId":"(\\w+)"`).exec(value ?? "")?.[1]
  expect([ids("traces"), ids("others")]).toEqual([traceId(1), traceId(2)])
  await reading.cancel()
})
