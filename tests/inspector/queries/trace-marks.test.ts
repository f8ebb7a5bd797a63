import { describe, expect, it } from "vitest"
import { protocolDiff } from "#otel/inspector/queries/trace/protocol-diff.ts"
import { spanDetail } from "#otel/inspector/queries/trace/span-detail.ts"
import { percentileOf } from "#otel/inspector/queries/trace/span-peers.ts"
import { pageLoads, vitalMarks } from "#otel/inspector/queries/trace/trace-marks.ts"
import type { AttributeValue } from "#otel/protocol/records/attributes.ts"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { nanoseconds } from "#otel/protocol/records/time.ts"
import { EPOCH, makeSpan, spanId } from "#tests/inspector/queries/make-span.ts"

const page = (attributes: [string, AttributeValue][] = []) =>
  makeSpan(1, { from: 10n, attributes: new Map([["sentry.op", "pageload"], ...attributes]) })
const vital = (number: number, name: string, from: bigint, value: number, rating?: string) =>
  makeSpan(number, {
    parent: 1,
    name: `browser.web_vital.${name}`,
    from,
    to: from,
    attributes: new Map<string, AttributeValue>([
      [`browser.web_vital.${name}.value`, value],
      ...(rating === undefined ? [] : [[`browser.web_vital.${name}.rating`, rating] as const]),
    ]),
  })

describe("web vitals on the time axis", () => {
  it("have the time at which they happened and the rating that was reported", () => {
    const marks = vitalMarks(
      [page(), vital(3, "lcp", 90n, 2_700, "needs-improvement"), vital(2, "ttfb", 50n, 100)],
      EPOCH,
    )
    expect(marks).toEqual([
      expect.objectContaining({ name: "TTFB", value: 100, rating: "good", offsetNano: 50, spanId: spanId(2) }),
      expect.objectContaining({ name: "LCP", value: 2_700, rating: "needs improvement", offsetNano: 90 }),
    ])
  })

  it("name the page load that they measure, by a span of their own or by its attribute", () => {
    const second = makeSpan(9, { name: "/cart", attributes: new Map([["browser.web_vital.lcp.value", 1]]) })
    const marks = vitalMarks([page(), vital(2, "lcp", 90n, 2), second], EPOCH)
    expect(marks.map((mark) => mark.page)).toEqual([
      { spanId: spanId(1), name: page().name },
      { spanId: spanId(9), name: "/cart" },
    ])
  })

  it("stand at the end of a span that reaches over what it measures; an interaction where it began", () => {
    const reaching = (number: number, name: string, from: bigint, to: bigint, value: number) => ({
      ...vital(number, name, from, value),
      endTime: nanoseconds(EPOCH + to),
    })
    const marks = vitalMarks(
      [
        page(),
        reaching(2, "lcp", 10n, 2_700_000_010n, 2_700),
        reaching(3, "ttfb", 10n, 95_000_010n, 95),
        reaching(4, "inp", 500n, 900n, 120),
      ],
      EPOCH,
    )
    expect(marks.map(({ name, offsetNano }) => [name, offsetNano])).toEqual([
      ["INP", 500],
      ["TTFB", 95_000_010],
      ["LCP", 2_700_000_010],
    ])
  })

  it("say when the first byte of each page load arrived, by its own span or by its attribute", () => {
    const other = makeSpan(9, { from: 100n, attributes: new Map([["sentry.op", "pageload"]]) })
    const loads = (...spans: SpanRecord[]) => [...pageLoads(spans, EPOCH)]
    expect(loads(page(), vital(3, "ttfb", 95n, 85), other)).toEqual([
      [spanId(1), 95],
      [spanId(9), undefined],
    ])
    expect(loads(page([["browser.web_vital.ttfb.value", 2]]))).toEqual([[spanId(1), 2_000_010]])
  })

  it("are read from the attributes of a page load, or from Sentry's measurements", () => {
    const loaded = page([
      ["browser.web_vital.fcp.value", 1_900],
      ["sentry.measurement.lcp", 5_000],
      ["sentry.measurement.cls", 0.3],
      ["sentry.measurement.unknown", 1],
    ])
    expect(vitalMarks([loaded], EPOCH).map(({ name, rating, offsetNano }) => [name, rating, offsetNano])).toEqual([
      ["CLS", "poor", 10],
      ["FCP", "needs improvement", 1_900_000_010],
      ["LCP", "poor", 5_000_000_010],
    ])
  })

  it("occur once for each page: a vital span takes precedence", () => {
    const marks = vitalMarks([page([["browser.web_vital.lcp.value", 1]]), vital(2, "lcp", 90n, 2)], EPOCH)
    expect(marks.map(({ value }) => value)).toEqual([2])
  })
})

describe("a span that two protocols reported", () => {
  const otlp = makeSpan(1, {
    from: 0n,
    to: 9_000n,
    attributes: new Map([
      ["a", "1"],
      ["b", "2"],
      ["same", "x"],
    ]),
  })
  const sentry = makeSpan(1, {
    from: 123n,
    to: 9_100n,
    source: "sentry",
    dropped: { attributes: 2, events: 0, links: 0 },
    attributes: new Map([
      ["b", "other"],
      ["c", "3"],
      ["same", "x"],
    ]),
  })
  const pairs = protocolDiff(spanDetail(otlp), spanDetail(sentry))
  const differing = pairs.filter(({ isSame }) => !isSame).map(({ what, otlp, sentry }) => [what, otlp, sentry])

  it("lists differences first, including what only one protocol reported", () => {
    expect(differing).toEqual([
      ["dropped by the sender", "0 attributes, 0 events, 0 links", "2 attributes, 0 events, 0 links"],
      ["a", "1", undefined],
      ["b", "2", "other"],
      ["c", undefined, "3"],
    ])
    expect(pairs.at(-1)).toEqual({ what: "same", otlp: "x", sentry: "x", isSame: true })
  })

  it("ignores differences below the precision of a double", () => {
    expect(pairs.find(({ what }) => what === "start")?.isSame).toBe(true)
    const late = spanDetail(makeSpan(1, { from: 5_000n, to: 14_000n, source: "sentry" }))
    expect(protocolDiff(spanDetail(otlp), late).find(({ what }) => what === "start")?.isSame).toBe(false)
  })
})

it("a percentile needs five spans, and the slowest is above all others", () => {
  expect(percentileOf({ count: 4, below: 3 })).toBeUndefined()
  expect(percentileOf({ count: 5, below: 4 })).toBe(100)
  expect(percentileOf({ count: 101, below: 50 })).toBe(50)
  expect(percentileOf({ count: 5, below: 0 })).toBe(0)
})
