import { describe, expect, test } from "vitest"
import { LiveFeed } from "#otel/inspector/live/live-feed.ts"
import { parseFilter } from "#otel/inspector/search/index.ts"
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
