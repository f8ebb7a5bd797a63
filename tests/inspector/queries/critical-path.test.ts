import { describe, expect, it } from "vitest"
import { criticalPath } from "#otel/inspector/queries/trace/critical-path.ts"
import type { AttributeValue } from "#otel/protocol/records/attributes.ts"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { makeSpan, type SpanSketch } from "#tests/inspector/queries/make-span.ts"
import { tableOf } from "#tests/inspector/queries/make-waterfall.ts"

const MS = 1_000_000

/** A span from and to a millisecond. */
const ms = (number: number, from: number, to: number, parent?: number, more: SpanSketch = {}) =>
  makeSpan(number, {
    from: BigInt(from * MS),
    to: BigInt(to * MS),
    ...(parent !== undefined && { parent }),
    ...more,
  })

const pageload = (number: number, from: number, to: number, parent?: number, firstByte?: number) =>
  ms(number, from, to, parent, {
    attributes: new Map<string, AttributeValue>([
      ["sentry.op", "pageload"],
      ...(firstByte === undefined ? [] : [["browser.web_vital.ttfb.value", firstByte] as const]),
    ]),
  })

const server = { kind: "server" } as const
const client = { kind: "client" } as const

/** The path as `number: from-to`, in milliseconds from the start of the trace, in order of the path. */
const pathOf = (...spans: SpanRecord[]) => {
  const table = tableOf(spans)
  return criticalPath(table)
    .toReversed()
    .map(({ row, from, to }) => `${Number.parseInt(table.spanId(row), 16)}: ${from / MS}-${to / MS}`)
}

describe("until the first byte, the critical path of a page load", () => {
  /*
   * 2 page     0 ──────────────────────────────── 500   first byte at 100
   * 1 server     20 ───────── 90
   * 3 query         30 ─ 50
   * 4 query               55 ─ 85
   * 5 script                          120 ─ 300
   */
  it("goes down into the server that rendered it, and into what that waited for", () => {
    expect(
      pathOf(
        ms(1, 20, 90, undefined, server),
        pageload(2, 0, 500, 1, 100),
        ms(3, 30, 50, 1),
        ms(4, 55, 85, 1),
        ms(5, 120, 300, 2),
      ),
    ).toEqual([
      "2: 0-20",
      "1: 20-30",
      "3: 30-50",
      "1: 50-55",
      "4: 55-85",
      "1: 85-90",
      "2: 90-120",
      "5: 120-300",
      "2: 300-500",
    ])
  })

  it("has every query of a loop, and none of the page's own time meanwhile", () => {
    const queries = Array.from({ length: 200 }, (_, i) => ms(10 + i, 30 + i * 3, 32 + i * 3, 1))
    const path = pathOf(ms(1, 20, 640, undefined, server), pageload(2, 0, 900, 1, 660), ...queries)
    expect(path.filter((piece) => Number.parseInt(piece) >= 10)).toHaveLength(200)
    expect(path.filter((piece) => piece.startsWith("2:"))).toEqual(["2: 0-20", "2: 640-900"])
  })

  it("passes through the request phase of the document, whose rest is the network", () => {
    expect(
      pathOf(
        ms(1, 30, 80, undefined, server),
        pageload(2, 0, 300, 1),
        ms(3, 10, 100, 2, { name: "document request" }),
        ms(4, 100, 140, 2, { name: "document response" }),
      ),
    ).toEqual(["2: 0-10", "3: 10-30", "1: 30-80", "3: 80-100", "4: 100-140", "2: 140-300"])
  })

  it("ignores what a server that streams does after the first byte", () => {
    expect(
      pathOf(ms(1, 20, 400, undefined, server), pageload(2, 0, 500, 1, 100), ms(3, 30, 70, 1), ms(4, 80, 390, 1)),
    ).toEqual(["2: 0-20", "1: 20-30", "3: 30-70", "1: 70-100", "2: 100-500"])
  })

  it("goes through a proxy to the app below it", () => {
    expect(
      pathOf(
        ms(1, 10, 90, undefined, server),
        ms(2, 20, 80, 1, client),
        ms(3, 30, 70, 2, server),
        pageload(4, 0, 200, 3, 95),
      ),
    ).toEqual(["4: 0-10", "1: 10-20", "2: 20-30", "3: 30-70", "2: 70-80", "1: 80-90", "4: 90-200"])
  })

  it("is right where the server's clock is wrong: its pieces have the times of its own clock", () => {
    // The server's clock is 10 s ahead. Its 60 ms are centered in the 100 ms until the first byte: from 20 to 80.
    expect(
      pathOf(ms(1, 10_000, 10_060, undefined, server), pageload(2, 0, 300, 1, 100), ms(3, 10_010, 10_050, 1)),
    ).toEqual(["2: 0-20", "1: 10000-10010", "3: 10010-10050", "1: 10050-10060", "2: 80-300"])
  })

  it("has the server for the first of two pages only, where a cache gave both the same document", () => {
    const path = pathOf(ms(1, 20, 90, undefined, server), pageload(2, 0, 200, 1, 100), pageload(3, 5_000, 5_300, 1, 40))
    expect(path).toEqual(["2: 0-20", "1: 20-90", "2: 90-200", "3: 5000-5300"])
  })
})

describe("the critical path", () => {
  it("has the slowest of parallel calls, and nothing of the others where they overlap it", () => {
    expect(pathOf(ms(1, 0, 100), ms(2, 10, 60, 1), ms(3, 10, 90, 1), ms(4, 10, 30, 1))).toEqual([
      "1: 0-10",
      "3: 10-90",
      "1: 90-100",
    ])
  })

  it("has all attempts of a call that was retried, and the waits between them", () => {
    expect(pathOf(ms(1, 0, 100), ms(2, 10, 20, 1), ms(3, 40, 50, 1), ms(4, 70, 95, 1))).toEqual([
      "1: 0-10",
      "2: 10-20",
      "1: 20-40",
      "3: 40-50",
      "1: 50-70",
      "4: 70-95",
      "1: 95-100",
    ])
  })

  /*
   * 1 handler  0 ─────────────────── 100
   * 2 save        10 ── 50
   * 3 audit          20 ─────────────────── 150   nobody waits for it
   * 4 render                 60 ─ 90
   * 5 response of the caller, later than everything: 0 ─ 200
   */
  it("keeps a call whose asynchronous child outlives those who waited", () => {
    expect(
      pathOf(
        ms(5, 0, 200),
        ms(1, 0, 100, 5),
        ms(2, 10, 50, 1),
        ms(3, 20, 110, 2),
        ms(4, 60, 90, 1),
        ms(6, 105, 200, 5),
      ),
    ).toEqual(["1: 0-10", "2: 10-50", "1: 50-60", "4: 60-90", "1: 90-100", "5: 100-105", "6: 105-200"])
  })

  it("ends with work that outlasts its caller where that is the last to end", () => {
    expect(pathOf(ms(1, 0, 60), ms(2, 10, 90, 1))).toEqual(["1: 0-10", "2: 10-90"])
  })

  it("has a server's part of a call although the server goes on after its answer", () => {
    expect(pathOf(ms(1, 0, 100), ms(2, 10, 60, 1, client), ms(3, 20, 500, 2, server), ms(4, 0, 600))).toEqual([
      "4: 0-600",
    ])
    expect(pathOf(ms(1, 0, 600), ms(2, 10, 60, 1, client), ms(3, 20, 90, 2, server), ms(4, 70, 600, 1))).toEqual([
      "1: 0-10",
      "2: 10-20",
      "3: 20-60",
      "1: 60-70",
      "4: 70-600",
    ])
  })

  it("counts a child that starts before its parent as within it, and loses no sibling before it", () => {
    // 4's clock is behind: it seems to run from 20 to 40, and ran from 55 to 75 in the call from 50 to 80.
    expect(pathOf(ms(1, 0, 100), ms(2, 10, 45, 1), ms(3, 50, 80, 1, client), ms(4, 20, 40, 3, server))).toEqual([
      "1: 0-10",
      "2: 10-45",
      "1: 45-50",
      "3: 50-55",
      "4: 20-40",
      "3: 75-80",
      "1: 80-100",
    ])
  })

  it("counts the answer of a server whose clock is ahead as within the call", () => {
    expect(pathOf(ms(1, 0, 100), ms(2, 10, 50, 1, client), ms(3, 1_000, 1_020, 2, server), ms(4, 60, 100, 1))).toEqual([
      "1: 0-10",
      "2: 10-20",
      "3: 1000-1020",
      "2: 40-50",
      "1: 50-60",
      "4: 60-100",
    ])
  })
})
