import { expect, test } from "vitest"
import { traceName } from "#otel/inspector/queries/trace/trace-outline.ts"
import { parseFilter } from "#otel/inspector/search/index.ts"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { ago, plus, service, span, spanId, traceId } from "../spans.ts"
import { storeOfFile } from "../stores.ts"

const store = storeOfFile()
const resource = service("intl")

/** What Next makes of a request that `proxy.ts` lets pass: the run of the proxy, and the page's request below it. */
function requestOf(trace: number, ...names: readonly string[]): SpanRecord[] {
  const start = ago(60_000)
  return names.map((name, index) =>
    span(trace, 10 * trace + index, {
      name,
      resource,
      startTime: plus(start, BigInt(index) * 1_000_000n),
      endTime: plus(start, BigInt(index + 1) * 1_000_000n),
      ...(index > 0 && { parentSpanId: spanId(10 * trace) }),
    }),
  )
}

test("a trace is named by the request that a proxy lets pass, in the list, by a filter and on its own screen", async () => {
  await store().insertSpans(
    [
      ...requestOf(1, "middleware GET", "middleware GET", "GET /[locale]/items", "resolve page components"),
      ...requestOf(2, "middleware POST"),
      ...requestOf(3, "GET /plain", "middleware GET", "resolve page components"),
    ],
    "behind a proxy",
  )
  const names = [
    [1, "GET /[locale]/items"],
    [2, "middleware POST"],
    [3, "GET /plain"],
  ] as const
  const { traces } = await store().listTraces({ limit: 10 })
  const listed = new Map(traces.map(({ traceId: id, name, isProvisional }) => [id, [name, isProvisional]]))
  for (const [trace, name] of names) {
    expect(listed.get(traceId(trace))).toEqual([name, false])
    const found = await store().listTraces({ limit: 10, filter: parseFilter(`name:"${name}"`).tree })
    expect(found.traces.map(({ traceId: id }) => id)).toEqual([traceId(trace)])
    const outline = await store().readOutline(traceId(trace))
    expect(outline && traceName(outline)).toBe(name)
  }
})
