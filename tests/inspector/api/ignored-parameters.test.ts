import { expect, test } from "vitest"
import { listAttributes } from "#otel/inspector/api/attributes.ts"
import { compare } from "#otel/inspector/api/compare.ts"
import { getDifferences } from "#otel/inspector/api/differences.ts"
import { listDropped } from "#otel/inspector/api/dropped.ts"
import { listErrors } from "#otel/inspector/api/errors.ts"
import { listItems } from "#otel/inspector/api/items.ts"
import { getLogFigures, listLogs, listTraceLogs } from "#otel/inspector/api/logs.ts"
import { listRoutes } from "#otel/inspector/api/routes.ts"
import { listServices } from "#otel/inspector/api/services.ts"
import { getHeatmap, getTraceFigures, listTraces } from "#otel/inspector/api/traces.ts"
import type { Inspector } from "#otel/inspector/inspector.ts"
import { startInspector } from "#tests/inspector/ingest/running-inspector.ts"

type Handler = (inspector: Inspector, request: Request) => Promise<Response>

const TRACE_ID = "ab".repeat(16)
const WINDOW = "since=2h&until=1h"

/** A handler for each answer that has notices, and every parameter that the reference names for it. */
const HANDLERS: readonly (readonly [path: string, handler: Handler, parameters: string])[] = [
  ["/api/traces", listTraces, `q=status:error&service=shop&sort=duration-asc&limit=5&own=hide&${WINDOW}`],
  ["/api/traces/figures", getTraceFigures, `q=status:error&own=hide&${WINDOW}`],
  ["/api/traces/heatmap", getHeatmap, `q=status:error&own=hide&${WINDOW}`],
  [
    "/api/traces/differences",
    getDifferences,
    `q=status:error&baseline=service:shop&baselineSince=4h&baselineUntil=3h&${WINDOW}`,
  ],
  ["/api/logs", listLogs, `q=level:error&service=shop&order=oldest&cut=100&limit=5&${WINDOW}`],
  ["/api/logs/figures", getLogFigures, `q=level:error&${WINDOW}`],
  [`/api/traces/${TRACE_ID}/logs`, (inspector, request) => listTraceLogs(inspector, request, TRACE_ID), "limit=5"],
  ["/api/errors", listErrors, "q=boom&service=shop&level=error&handled=no&sort=count&limit=5&since=2h&until=1h"],
  ["/api/items", listItems, "type=attachment&limit=5"],
  ["/api/items", listItems, `event=${TRACE_ID}`],
  ["/api/items", listItems, `trace=${TRACE_ID}&span=${"cd".repeat(8)}`],
  ["/api/dropped", listDropped, `stage=page&reason=queue_overflow&limit=5&${WINDOW}`],
  ["/api/attributes", listAttributes, "of=logs&name=service&text=shop"],
  ["/api/routes", listRoutes, `q=shop&service=shop&of=load&sort=busy&${WINDOW}`],
  ["/api/services", listServices, `q=status:error&sort=busy&${WINDOW}`],
  ["/api/compare", compare, "a=service:shop&b=service:cart&aSince=4h&aUntil=3h&bSince=2h&bUntil=1h&limit=5"],
]

async function noticesOf(inspector: Inspector, handler: Handler, address: string): Promise<unknown> {
  const response = await handler(
    inspector,
    new Request(`http://localhost${address}`, { headers: { host: "localhost" } }),
  )
  expect([address, response.status]).toEqual([address, 200])
  return ((await response.json()) as { notices?: readonly string[] }).notices
}

test("each query parameter that the reference names is read, and any other is named in the answer", async () => {
  const { inspector } = await startInspector()
  for (const [path, handler, parameters] of HANDLERS) {
    expect([path, await noticesOf(inspector, handler, `${path}?${parameters}`)]).toEqual([path, undefined])
    const notices = await noticesOf(inspector, handler, `${path}?${parameters}&sinse=1h`)
    expect([path, notices]).toEqual([path, ['"sinse" is not a parameter of this request']])
  }
})

test("a list without pages names limit and after as ignored, and of very many names the first ten, cut", async () => {
  const { inspector } = await startInspector()
  const ignored = ['"limit" is not a parameter of this request', '"after" is not a parameter of this request']
  expect(await noticesOf(inspector, listServices, "/api/services?limit=5&after=x")).toEqual(ignored)
  expect(await noticesOf(inspector, listRoutes, "/api/routes?limit=5&after=x")).toEqual(ignored)
  expect(await noticesOf(inspector, listItems, `/api/items?event=${TRACE_ID}&limit=5&after=x`)).toEqual(ignored)
  const many = Array.from({ length: 500 }, (_, index) => `${"p".repeat(500)}${index}=1`).join("&")
  const notices = (await noticesOf(inspector, listRoutes, `/api/routes?${many}`)) as readonly string[]
  expect(notices).toHaveLength(10)
  expect(Math.max(...notices.map(({ length }) => length))).toBeLessThan(100)
})
