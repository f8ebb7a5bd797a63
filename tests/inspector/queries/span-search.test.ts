import { describe, expect, it } from "vitest"
import { findRows, isEmptySearch, parseSpanSearch } from "#otel/inspector/queries/trace/span-search.ts"
import { makeSpan } from "#tests/inspector/queries/make-span.ts"
import { tableOf } from "#tests/inspector/queries/make-waterfall.ts"

const table = tableOf([
  makeSpan(1, { name: "GET /shop/[item]", kind: "server", from: 0n, to: 30_000_000n }),
  makeSpan(2, { name: "SELECT items", kind: "client", service: "DB one", parent: 1, from: 1n, to: 5_000_000n }),
  makeSpan(0xabcdef, { name: "render", parent: 1, from: 2n, status: { code: "error", message: "" } }),
])
const found = (text: string) => [...findRows(table, parseSpanSearch(text))]

describe("a search within a trace", () => {
  it.each([
    ["get", [0]],
    ["ITEM", [0, 1]],
    ["item db", [1]],
    ['"select items"', [1]],
    ["000000000000abc", []],
    ["0000000000ab", [2]],
    ["status=error", [2]],
    ["status=ok", [0, 1]],
    ["kind=server", [0]],
    ['service="db one"', [1]],
    ["name=render", [2]],
    ["duration>10ms", [0]],
    ["duration<10ms", [1, 2]],
    ["duration>4ms duration<6ms", [1]],
    ["nothing like it", []],
  ])("%s finds rows %o", (text, rows) => {
    expect(found(text)).toEqual(rows)
  })

  it.each([
    ["http.route=/shop", [{ key: "http.route", value: "/shop" }]],
    ['db.query="SELECT 1 = 1"', [{ key: "db.query", value: "SELECT 1 = 1" }]],
    ["request.id=a*", [{ key: "request.id", value: "a*" }]],
    ["request.id=", [{ key: "request.id", value: "*" }]],
    [
      "a=1 b=2",
      [
        { key: "a", value: "1" },
        { key: "b", value: "2" },
      ],
    ],
  ])("%s queries the attributes %o", (text, attributes) => {
    expect(parseSpanSearch(text)).toEqual({ local: [], attributes })
  })

  it("may mix both", () => {
    const { local, attributes } = parseSpanSearch("render http.route=/x status=error")
    expect(local).toHaveLength(2)
    expect(attributes).toHaveLength(1)
  })

  it.each(["", "   ", '"', '""'])("is empty for %o", (text) => {
    expect(isEmptySearch(parseSpanSearch(text))).toBe(true)
  })

  it("is bounded for any input", () => {
    const { local, attributes } = parseSpanSearch("a=b ".repeat(10_000) + "x".repeat(1_000_000))
    expect(local.length + attributes.length).toBeLessThanOrEqual(10)
  })
})
