import { describe, expect, it } from "vitest"
import { importRequests } from "#app/_import/import-requests.ts"
import { OtlpCutter, type OtlpElement } from "#app/_import/otlp-cutter.ts"

function cut(text: string, chunk = text.length || 1) {
  const cutter = new OtlpCutter()
  const elements: OtlpElement[] = []
  for (let at = 0; at < text.length; at += chunk) elements.push(...cutter.push(text.slice(at, at + chunk)))
  return { elements, isBroken: cutter.isCut || cutter.broken }
}

const span = (id: string, over = {}) => ({
  traceId: "a".repeat(32),
  spanId: id.padStart(16, "0"),
  name: `"]}{[ ${id} \\`,
  ...over,
})
const resource = (...spans: object[]) => ({ resource: {}, scopeSpans: [{ scope: { name: "s" }, spans }] })
const file = (...resources: object[]) => JSON.stringify({ resourceSpans: resources })

describe("an OTLP/JSON file", () => {
  const one = file(resource(span("1"), span("2")), resource(span("3")))

  it.each<[string, string]>([
    ["an object", one],
    ["an indented object", JSON.stringify(JSON.parse(one), null, 2)],
    ["JSON lines", `${file(resource(span("1"), span("2")))}\n${file(resource(span("3")))}\n`],
    [
      "a recording, whose last line has drops",
      `${one}\n{"resourceSpans":[],"pagespan.dropped":[{"stage":"page","count":2}]}\n`,
    ],
    ["a list of objects", `[${file(resource(span("1"), span("2")))},${file(resource(span("3")))}]`],
    [
      "an object with other members",
      `{"a":{"resourceSpans":[1]},"b":[{"x":[{}]}],"resourceSpans":${JSON.stringify(JSON.parse(one).resourceSpans)}}`,
    ],
  ])("with %s yields each resource, whatever the chunk size", (_name, text) => {
    for (const chunk of [1, 2, 3, 7, 64, text.length]) {
      const { elements, isBroken } = cut(text, chunk)
      expect(isBroken).toBe(false)
      expect(elements.map(({ text }) => JSON.parse(text).scopeSpans[0].spans.length)).toEqual([2, 1])
    }
  })

  it.each(['{"resourceSpans":[{"a":1}', '{"resourceSpans":[]}}', '{"resourceSpans":[{"a":"'])(
    "%s is reported as malformed",
    (text) => {
      expect(cut(text).isBroken).toBe(true)
    },
  )

  it.each(["", "not json", '{"data":[{"spans":[]}]}', "[1,2,3]", '"resourceSpans"'])("%j has no elements", (text) => {
    expect(cut(text).elements).toEqual([])
  })

  it("has its logs sent to their own endpoint, and its metrics skipped", () => {
    const { elements } = cut(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{},{}]}]}],"resourceMetrics":[{}]}`)
    expect(elements.map(({ list }) => list)).toEqual(["resourceLogs", "resourceMetrics"])
    expect(importRequests(elements[0]!)).toEqual([expect.objectContaining({ path: "/v1/logs", count: 2 })])
    expect(importRequests(elements[1]!)).toBeUndefined()
  })
})

describe("the requests of an import", () => {
  const element = (value: object): OtlpElement => ({ list: "resourceSpans", text: JSON.stringify(value) })

  it("contain a small element as its original text, to the last digit of a bare number", () => {
    const text = `{"scopeSpans":[{"spans":[{"traceId":"ab","startTimeUnixNano":1763000000123456789}]}]}`
    expect(importRequests({ list: "resourceSpans", text })).toEqual([
      { path: "/v1/traces", body: `{"resourceSpans":[${text}]}`, count: 1, traceIds: ["ab"] },
    ])
  })

  it("split a large element without dropping a span or a digit", () => {
    const spans = Array.from({ length: 5_001 }, (_, i) => span(i.toString(16)))
    const text = JSON.stringify(resource(...spans)).replaceAll(
      '"name"',
      '"startTimeUnixNano":1763000000123456789,"name"',
    )
    const requests = importRequests({ list: "resourceSpans", text })!
    expect(requests.map(({ count }) => count)).toEqual([2_000, 2_000, 1_001])
    const back = requests.flatMap(({ body }) => JSON.parse(body).resourceSpans[0].scopeSpans[0].spans)
    expect(back.map(({ spanId }: { spanId: string }) => spanId)).toEqual(spans.map(({ spanId }) => spanId))
    expect(back[0].startTimeUnixNano).toBe("1763000000123456789")
  })

  it("are bounded in size too, with spans of any length", () => {
    const spans = Array.from({ length: 600 }, (_, i) => span(i.toString(16), { name: "x".repeat(40_000) }))
    const requests = importRequests(element(resource(...spans)))!
    expect(Math.max(...requests.map(({ body }) => body.length))).toBeLessThan(5_000_000)
    expect(requests.reduce((sum, { count }) => sum + count, 0)).toBe(600)
  })

  it("are none for text that is not JSON, and for an element without spans", () => {
    expect(importRequests({ list: "resourceSpans", text: "{a}" })).toBeUndefined()
    expect(importRequests(element({ resource: {} }))).toEqual([])
    expect(importRequests(element({ scopeSpans: [null, { spans: 5 }] }))?.map(({ count }) => count)).toEqual([0])
  })
})
