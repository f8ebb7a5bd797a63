import { describe, expect, it } from "vitest"
import { subtreeRows, subtreeText } from "#otel/inspector/queries/trace/subtree-text.ts"
import type { AttributeValue } from "#otel/protocol/records/attributes.ts"
import { nanoseconds } from "#otel/protocol/records/time.ts"
import { EPOCH, makeSpan, spanId } from "#tests/inspector/queries/make-span.ts"
import { tableOf } from "#tests/inspector/queries/make-waterfall.ts"
import { SECRET, SECRET_SHAPES } from "#tests/sdk/sentry/secret-shapes.ts"

describe("a subtree as text for a language model", () => {
  it("has one line for each span, with its times, its error and the attributes that explain it", () => {
    const spans = [
      makeSpan(1, { from: 0n, to: 90_000_000n }),
      makeSpan(2, {
        parent: 1,
        from: 10_000_000n,
        to: 60_000_000n,
        name: "GET /items",
        service: "api",
        status: { code: "error", message: "no answer" },
        attributes: new Map([
          ["http.route", "/items"],
          ["http.request.header.authorization", "s3cret"],
          ["thread.id", "7"],
        ]),
        events: [{ time: nanoseconds(EPOCH), name: "exception", attributes: new Map([["exception.type", "E"]]) }],
      }),
      makeSpan(3, {
        parent: 2,
        from: 20_000_000n,
        to: 50_000_000n,
        attributes: new Map([["db.query.text", "SELECT\n1"]]),
      }),
    ]
    const table = tableOf(spans)
    const row = table.indexOf(spanId(2))
    expect(subtreeRows(table, row)).toEqual([1, 2])
    expect(subtreeText(table, row, spans).split("\n").slice(1)).toEqual([
      "⟦GET /items⟧ (⟦api⟧) 0ms +50ms [20ms] ERROR: ⟦no answer⟧",
      "    ⟦http.route⟧=⟦/items⟧",
      "    exception: ⟦E⟧",
      "  ⟦span 3⟧ (⟦web⟧) 10ms +30ms [30ms]",
      "      ⟦db.query.text⟧=⟦SELECT 1⟧",
    ])
  })

  it.each(SECRET_SHAPES.filter(([, value]) => value !== SECRET && value !== `sid=${SECRET}`))(
    "holds no secret in any text of %s = %s",
    (key, value) => {
      const span = makeSpan(1, {
        name: `asked ${value}`,
        status: { code: "error", message: value },
        attributes: new Map<string, AttributeValue>([
          [key, value],
          ["http.request.header.x-note", value],
          ["db.query.text", `${"-- ".repeat(60)}${value}`],
          ["http.request.header.cookie", SECRET],
          ["db.user.password", SECRET],
        ]),
        events: [{ time: nanoseconds(EPOCH), name: "exception", attributes: new Map([["exception.message", value]]) }],
      })
      const text = subtreeText(tableOf([span]), 0, [span])
      expect(text).toContain("asked")
      expect(text).not.toContain(SECRET.slice(0, 7))
    },
  )

  it("has one line for 200 equal siblings, with the attributes in which they differ", () => {
    const spans = [
      makeSpan(1, { from: 0n, to: 900_000_000n, name: "priceCart" }),
      ...Array.from({ length: 200 }, (_, i) =>
        makeSpan(10 + i, {
          parent: 1,
          name: "SELECT shop.prices",
          from: BigInt(10_000_000 + i * 4_000_000),
          to: BigInt(12_000_000 + i * 4_000_000 + (i === 7 ? 1_500_000 : 0)),
          attributes: new Map([
            ["db.system.name", "postgresql"],
            ["db.query.text", `SELECT price FROM prices WHERE sku = ${i}`],
            ["db.statement", "x".repeat(150)],
          ]),
        }),
      ),
      makeSpan(300, { parent: 1, name: "render", from: 850_000_000n, to: 900_000_000n }),
    ]
    const table = tableOf(spans)
    expect(subtreeRows(table, 0)).toEqual([0, 1, 200, 201])
    const text = subtreeText(table, 0, spans)
    expect(text.split("\n").slice(2)).toEqual([
      "⟦priceCart⟧ (⟦web⟧) 0ms +900ms [449ms]",
      "  200 × ⟦SELECT shop.prices⟧ (⟦web⟧) 10ms to 808ms, 402ms in all, each 2ms to 3.5ms",
      "      ⟦db.system.name⟧=⟦postgresql⟧",
      "      ⟦db.query.text⟧=⟦SELECT price FROM prices WHERE sku = 0⟧ … ⟦SELECT price FROM prices WHERE sku = 199⟧",
      `      ⟦db.statement⟧=⟦${"x".repeat(150)}⟧`,
      "  ⟦render⟧ (⟦web⟧) 850ms +50ms [50ms]",
    ])
    expect(text.length).toBeLessThan(2_000)
    // A member of a fold is a span of its own when its own text is copied.
    expect(subtreeText(table, 5, spans).split("\n")[1]).toBe("⟦SELECT shop.prices⟧ (⟦web⟧) 0ms +2ms [2ms]")
  })

  it("keeps a failed one of equal siblings on its own line, and counts what it omits in spans", () => {
    const spans = [
      makeSpan(1, { from: 0n, to: 900n }),
      ...Array.from({ length: 9 }, (_, i) =>
        makeSpan(10 + i, { parent: 1, name: "step", ...(i === 4 && { status: { code: "error", message: "no" } }) }),
      ),
      ...Array.from({ length: 500 }, (_, i) => makeSpan(100 + i, { parent: 1 })),
    ]
    const text = subtreeText(tableOf(spans), 0, spans)
    expect(text).toContain("8 × ⟦step⟧")
    expect(text).toMatch(/\n {2}⟦step⟧ \(⟦web⟧\) \S+ \+0\.001ms \[0\.001ms\] ERROR: ⟦no⟧\n/)
    expect(text).toMatch(/\(103 more spans omitted\)$/)
  })

  it("is bounded, and says what it omits", () => {
    const many = Array.from({ length: 2_000 }, (_, i) =>
      makeSpan(i + 1, {
        ...(i > 0 && { parent: 1 }),
        name: `${i} ${"x".repeat(500)}`,
        attributes: new Map([["http.a", "y".repeat(9_000)]]),
      }),
    )
    const table = tableOf(many)
    const text = subtreeText(table, 0, many)
    expect(text.length).toBeLessThan(49_000)
    expect(text).toMatch(/\(\d+ more lines omitted\)$/)
    expect(
      subtreeText(tableOf(many.map((span, i) => ({ ...span, name: `x${i}`, attributes: new Map() }))), 0, []),
    ).toContain("(1600 more spans omitted)")
  })
})
