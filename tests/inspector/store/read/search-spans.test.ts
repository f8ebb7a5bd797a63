import { describe, expect, test } from "vitest"
import { parseSpanSearch } from "#otel/inspector/queries/trace/span-search.ts"
import { ago, plus, service, span, traceId } from "../spans.ts"
import { storeOfFile } from "../stores.ts"

const store = storeOfFile()
const start = plus(ago(60_000), 123_456_789n)

describe("a search by attributes in a trace", () => {
  const found = async (text: string) => {
    const ids = await store().searchSpans(traceId(10), parseSpanSearch(text).attributes)
    return Array.from({ length: ids.length / 16 }, (_, i) => Number.parseInt(ids.slice(i * 16, i * 16 + 16), 16)).sort()
  }

  test("covers spans, resources and events, by value, by prefix, or by name only", async () => {
    const event = { time: start, name: "e", attributes: new Map([["cache.key", "item:1"]]) }
    await store().insertSpans(
      [
        span(10, 1, {
          startTime: start,
          attributes: new Map<string, string | bigint>([
            ["http.route", "/shop/[item]"],
            ["code", 500n],
          ]),
        }),
        span(10, 2, {
          startTime: start,
          attributes: new Map([
            ["http.route", "/SHOP/new"],
            ["note", "100% sure_"],
          ]),
        }),
        span(10, 3, {
          startTime: start,
          events: [event],
          resource: {
            ...service("api"),
            attributes: new Map([
              ["service.name", "api"],
              ["host.name", "h1"],
            ]),
          },
        }),
      ],
      "searched",
    )
    expect(await found("http.route=/shop/[item]")).toEqual([1])
    expect(await found("http.route=/shop/*")).toEqual([1, 2])
    expect(await found("http.route=")).toEqual([1, 2])
    expect(await found("code=500")).toEqual([1])
    expect(await found("host.name=h1")).toEqual([3])
    expect(await found("cache.key=item:*")).toEqual([3])
    expect(await found("http.route=/shop/* code=500")).toEqual([1])
    expect(await found("http.route=/sho")).toEqual([])
    expect(await found("absent=")).toEqual([])
  })

  test.each(["note=100%*", 'note="100% sure_"'])("matches %s literally", async (text) => {
    expect(await found(text)).toEqual([2])
  })

  test.each(["note=%", "note=100__sure_", String.raw`note=100\%`, "note=')); DROP TABLE otel_traces --"])(
    "finds nothing for %s, which is not a pattern in SQL",
    async (text) => {
      expect(await found(text)).toEqual([])
    },
  )
})
