import { describe, expect, test } from "vitest"
import { LiveFeed } from "#otel/inspector/live/live-feed.ts"
import { parseFilter } from "#otel/inspector/search/index.ts"
import { service, span, spanId, traceId } from "../../store/spans.ts"
import { startReceiver } from "../receiver-under-test.ts"

const failed = { code: "error", message: "" } as const

/** A reader with this filter. */
function reader(text: string) {
  const feed = new LiveFeed()
  const subscription = feed.subscribe(parseFilter(text).tree)
  return {
    publish: (...spans: Parameters<typeof span>[]) =>
      feed.publish({ spans: spans.map((one) => span(...one)), errors: [], items: [] }),
    subscription,
  }
}

describe("a live view with a filter", () => {
  test("tells a trace whole when it first passes, and what is new afterwards", async () => {
    const { publish, subscription } = reader("status:error service:db")
    publish([1, 1, { name: "/cart" }])
    expect(await subscription.next(10)).toMatchObject({ traces: [], others: [{ traceId: traceId(1), spanCount: 1 }] })
    publish([1, 2, { parentSpanId: spanId(1), status: failed }])
    publish([1, 3, { parentSpanId: spanId(1), resource: service("db") }])
    const whole = await subscription.next(10)
    expect(whole?.traces).toMatchObject([{ name: "/cart", spanCount: 3, errorCount: 1, services: ["shop", "db"] }])
    publish([1, 4, { parentSpanId: spanId(1) }])
    expect((await subscription.next(10))?.traces).toMatchObject([{ spanCount: 1 }])
  })

  test("tells of a trace that no longer passes apart from those that do", async () => {
    const { publish, subscription } = reader("-name:prefetch")
    publish([1, 2, { name: "child", parentSpanId: spanId(1) }])
    expect((await subscription.next(10))?.traces).toHaveLength(1)
    publish([1, 1, { name: "prefetch /cart" }])
    expect(await subscription.next(10)).toMatchObject({ traces: [], others: [{ name: "prefetch /cart" }] })
  })

  test("counts as skipped only what it would have shown", async () => {
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

test("a filter that cannot be read is refused with its place", async () => {
  const { receiver } = await startReceiver()
  const response = receiver.live(
    new Request(`http://localhost/live?${new URLSearchParams({ q: "duration>fast" })}`, {
      headers: { host: "localhost" },
    }),
  )
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ start: 9, end: 13 })
})
