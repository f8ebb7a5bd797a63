import type { ReadableStream } from "node:stream/web"
import { expect, test } from "vitest"
import { mcpHandler } from "#otel/inspector/mcp/mcp-handler.ts"
import { type RunningInspector, startInspector } from "./ingest/running-inspector.ts"

const DEBUG_ID = "0f883d09-0506-43e6-aa8e-fe5eb9eee3f9"
const SCRIPT = "http://shop.test/_next/static/chunks/a1.js"
const SOURCE_MAP = { version: 3, sources: ["src/pay.ts"], sourcesContent: ["pay()"], names: [], mappings: "AAAA" }
const EVENT_IDS = ["1", "2"].map((digit) => digit.repeat(32))

async function uploadMap({ inspector }: RunningInspector): Promise<void> {
  const body = new Response(JSON.stringify(SOURCE_MAP)).body as unknown as ReadableStream<Uint8Array>
  expect(await inspector.uploadedMaps.save(DEBUG_ID, "/_next/static/chunks/a1.js", body, false)).toBe("stored")
}

async function sendEvents({ url }: RunningInspector): Promise<void> {
  for (const [index, event_id] of EVENT_IDS.entries()) {
    const stacktrace = { frames: [{ function: "t", filename: SCRIPT, lineno: 1, colno: 1 }] }
    const event = {
      event_id,
      timestamp: Date.now() / 1_000 + index,
      exception: { values: [{ type: "TypeError", value: "no cart", stacktrace }] },
      debug_meta: { images: [{ type: "sourcemap", code_file: SCRIPT, debug_id: DEBUG_ID }] },
    }
    const envelope = [{ event_id }, { type: "event" }, event].map((line) => JSON.stringify(line)).join("\n")
    const response = await fetch(`${url}/api/7/envelope/?sentry_key=k`, { method: "POST", body: envelope })
    expect(response.status).toBe(200)
  }
}

async function getError({ inspector }: RunningInspector, issueId: string): Promise<unknown> {
  const call = { method: "tools/call", params: { name: "get_error", arguments: { issueId } } }
  const headers = {
    host: "localhost",
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  }
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, ...call })
  const response = await mcpHandler(
    inspector,
    new Request("http://localhost/mcp", { method: "POST", headers, body }),
    "1.0.0",
  )
  return response.json()
}

test("the read API and MCP answer frames in their original source, with its lines in the newest event", async () => {
  const running = await startInspector()
  await uploadMap(running)
  await sendEvents(running)
  const list = async () => (await running.read("/api/errors?limit=5")).issues
  await expect.poll(list).toEqual([expect.objectContaining({ count: 2 })])
  const [{ issueId }] = await list()

  const { events } = await running.read(`/api/errors/${issueId}`)
  const frames = events.map((event: { exceptions: { frames: unknown[] }[] }) => event.exceptions[0]?.frames[0])
  const place = { file: "src/pay.ts", line: 1, compiled: { file: SCRIPT, line: 1, column: 1 } }
  expect(frames).toEqual([
    expect.objectContaining({ ...place, context: "pay()" }),
    expect.objectContaining({ ...place, context: "" }),
  ])

  expect(JSON.stringify(await getError(running, issueId))).toContain("t src/pay.ts:1")
})
