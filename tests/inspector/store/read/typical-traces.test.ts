import { describe, expect, test } from "vitest"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { ago, plus, span, spanId, traceId } from "../spans.ts"
import { storeOfFile } from "../stores.ts"

const store = storeOfFile()
const HOUR = 3_600_000

describe("the typical traces of a root", () => {
  const root = (trace: number, agoMs: number, ms: number, over: Partial<SpanRecord> = {}) => {
    const startTime = ago(agoMs)
    const resource = {
      attributes: new Map([
        ["service.name", "web"],
        ["service.version", `v${ms}`],
      ]),
      schemaUrl: "",
    }
    const endTime = plus(startTime, BigInt(ms) * 1_000_000n)
    return span(trace, trace, { name: "typical", resource, startTime, endTime, ...over })
  }
  const like = (name: string) => ({
    service: "web",
    name,
    isPageload: false,
    start: ago(2 * HOUR),
    except: traceId(900),
  })

  test("are the median and the fastest of the days around it, and the median of yesterday, without failed ones", async () => {
    const failed = { status: { code: "error", message: "" } } as const
    await store().insertSpans(
      [
        root(900, 2 * HOUR, 500),
        ...[30, 10, 50, 20].map((ms, index) => root(901 + index, (1 + index) * HOUR, ms)),
        root(910, HOUR, 1, failed),
        root(911, HOUR, 2, { parentSpanId: spanId(1) }),
        ...[70, 90, 80].map((ms, index) => root(920 + index, (30 + index) * HOUR, ms)),
        root(930, 60 * HOUR, 3),
      ],
      "typical",
    )
    const typical = await store().findTypicalTraces(like("typical"))
    // Of 10, 20, 30 and 50 ms the upper median.
    expect(typical).toMatchObject({
      count: 4,
      median: { traceId: traceId(901), duration: 30_000_000n, release: "v30" },
      fastest: { traceId: traceId(902), duration: 10_000_000n },
      yesterdayCount: 3,
      yesterdayMedian: { traceId: traceId(922), duration: 80_000_000n },
    })
  })

  test("of a page load are those of page loads, though the request of the document is their root", async () => {
    const op = (value: string) => ({ attributes: new Map([["sentry.op", value]]), parentSpanId: spanId(1) })
    await store().insertSpans(
      [
        ...[400, 300, 500].map((ms, index) => root(940 + index, HOUR, ms, { name: "/shop", ...op("pageload") })),
        root(943, HOUR, 7, { name: "/shop", ...op("navigation") }),
        root(944, HOUR, 9, { name: "/shop" }),
      ],
      "page loads",
    )
    expect(await store().findTypicalTraces({ ...like("/shop"), isPageload: true })).toMatchObject({
      count: 3,
      median: { traceId: traceId(940), duration: 400_000_000n },
      fastest: { traceId: traceId(941) },
    })
  })

  test("are none where no other trace has such a root", async () => {
    expect(await store().findTypicalTraces(like("unique"))).toEqual({
      count: 0,
      median: undefined,
      fastest: undefined,
      yesterdayCount: 0,
      yesterdayMedian: undefined,
    })
  })
})
