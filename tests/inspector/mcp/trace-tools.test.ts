import { expect, test } from "vitest"
import type { ToolQueries } from "#otel/inspector/mcp/tool.ts"
import { getCriticalPath, traceTopology } from "#otel/inspector/mcp/trace-tools.ts"
import type { AttributeValue } from "#otel/protocol/records/attributes.ts"
import { makeSpan, spanId, TRACE_ID } from "#tests/inspector/queries/make-span.ts"

const MS = 1_000_000n
const spans = [
  makeSpan(1, { from: 20n * MS, to: 90n * MS, kind: "server", name: "GET /cart" }),
  makeSpan(2, {
    parent: 1,
    from: 0n,
    to: 500n * MS,
    name: "/cart",
    attributes: new Map([["sentry.op", "pageload"]]),
  }),
  makeSpan(3, { parent: 1, from: 30n * MS, to: 80n * MS, name: "SELECT cart" }),
  ...["ttfb", "lcp"].map((name, i) =>
    makeSpan(10 + i, {
      parent: 2,
      from: 0n,
      to: [100n, 5_300n][i]! * MS,
      name: `browser.web_vital.${name}`,
      attributes: new Map<string, AttributeValue>([[`browser.web_vital.${name}.value`, [100, 5_300][i]!]]),
    }),
  ),
]
const queries = { trace: async () => ({ spans, stored: spans.length }) } as unknown as ToolQueries

test("trace_topology has the web vitals of a page beside the spans, as its screen does", async () => {
  const { text, structured } = await traceTopology(queries, { traceId: TRACE_ID, maxSpans: 10 })
  expect(text.split("\n")[0]).toBe(`Web vitals: TTFB 100 (good) ${spanId(10)}, LCP 5300 (poor) ${spanId(11)}. 3 spans:`)
  expect(structured["spanCount"]).toBe(3)
  expect(text).not.toContain("web_vital")
})

test("critical_path goes from the page into its server until the first byte, and ends with the page", async () => {
  const { structured } = await getCriticalPath(queries, { traceId: TRACE_ID })
  expect(structured).toMatchObject({
    totalMs: 500,
    path: [
      { name: "/cart", fromMs: 0, toMs: 20 },
      { name: "GET /cart", fromMs: 20, toMs: 30 },
      { name: "SELECT cart", fromMs: 30, toMs: 80 },
      { name: "GET /cart", fromMs: 80, toMs: 90 },
      { name: "/cart", fromMs: 90, toMs: 500 },
    ],
  })
})
