import { expect, test } from "vitest"
import { mcpHandler } from "#otel/inspector/mcp/mcp-handler.ts"
import { encodeBatch } from "#otel/protocol/codec/encode-batch.ts"
import { recordBatch } from "#otel/protocol/records/batch.ts"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { parseSpanId } from "#otel/protocol/records/ids.ts"
import { plus, ago } from "#tests/inspector/store/spans.ts"
import { startInspector, type RunningInspector } from "../ingest/running-inspector.ts"
import { spanRecord } from "../ingest/span-records.ts"

const batchOf = (some: readonly SpanRecord[]) => encodeBatch(recordBatch({ spans: [...some] }))

/** More spans than the tools read of one trace. */
const SPANS = 100_050
const idOf = (number: number) => parseSpanId((number + 1).toString(16).padStart(16, "0"))!
const root = spanRecord(0, { spanId: idOf(0), startTime: ago(60_000), endTime: ago(1_000) })
const spans = Array.from({ length: SPANS }, (_, number) => {
  const startTime = plus(root.startTime, BigInt(number) * 1_000n)
  const parent = number === 0 ? undefined : root.spanId
  return { ...root, spanId: idOf(number), parentSpanId: parent, startTime, endTime: plus(startTime, 1_000n) }
})
const last = { traceId: root.traceId, spanId: idOf(SPANS - 1) }

async function result({ inspector }: RunningInspector, name: string, given: object) {
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } }
  const headers = {
    host: "localhost",
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  }
  const request = new Request("http://localhost/mcp", { method: "POST", headers, body: JSON.stringify(body) })
  const answer = (await (await mcpHandler(inspector, request, "1.0.0")).json()) as {
    result: { content: { text: string }[]; structuredContent: object }
  }
  return { text: answer.result.content[0]!.text, structured: answer.result.structuredContent }
}

test("of a trace of more than 100,000 spans, tools say what they did not read, and get_span finds every span", async () => {
  const running = await startInspector()
  for (let from = 0; from < SPANS; from += 25_000)
    await running.inspector.store.insertRecords([batchOf(spans.slice(from, from + 25_000))], `batch ${from}`)
  const note = `Only the earliest 100000 of ${SPANS} spans of the trace were read.`
  for (const name of ["trace_topology", "critical_path", "get_findings"]) {
    const { text, structured } = await result(running, name, { traceId: root.traceId })
    expect([name, text]).toEqual([name, expect.stringContaining(note)])
    expect([name, structured]).toEqual([name, expect.objectContaining({ omittedSpans: 50 })])
  }
  expect((await result(running, "get_span", last)).structured).toMatchObject({ spanId: last.spanId, name: root.name })
  const inCapitals = { ...last, spanId: last.spanId.toUpperCase() }
  expect((await result(running, "get_span", inCapitals)).structured).toMatchObject({ spanId: last.spanId })
  expect((await result(running, "get_span", { ...last, spanId: "none" })).text).toContain("has no span none")
})
