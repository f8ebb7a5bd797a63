import { expect, test } from "vitest"
import { mcpHandler } from "#otel/inspector/mcp/mcp-handler.ts"
import { startInspector, startWithoutStore, type RunningInspector } from "../ingest/running-inspector.ts"

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
const SPAN_ID = "b7ad6b7169203331"

interface ToolAnswer {
  readonly content: readonly { readonly text: string }[]
  readonly structuredContent?: Record<string, unknown>
  readonly isError?: boolean
}

async function call(
  { inspector }: RunningInspector,
  name: string,
  given: object = {},
  headers = {},
): Promise<Response> {
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } }
  const request = new Request("http://localhost/mcp", {
    method: "POST",
    headers: {
      host: "localhost",
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: JSON.stringify(body),
  })
  return mcpHandler(inspector, request, "1.0.0")
}

async function result(running: RunningInspector, name: string, given: object = {}): Promise<ToolAnswer> {
  const response = await call(running, name, given)
  expect(response.status).toBe(200)
  return ((await response.json()) as { result: ToolAnswer }).result
}

/** A span that failed, with an exception, as OTLP/JSON. */
function failedSpan() {
  const now = BigInt(Date.now()) * 1_000_000n
  const span = {
    traceId: TRACE_ID,
    spanId: SPAN_ID,
    name: "GET /cart",
    kind: 2,
    startTimeUnixNano: String(now),
    endTimeUnixNano: String(now + 5_000_000n),
    status: { code: 2, message: "no such item" },
  }
  const resource = { attributes: [{ key: "service.name", value: { stringValue: "shop" } }] }
  return { resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] }
}

test("tools answer stored traces, unknown ids and dropped data from the queries of this process", async () => {
  const running = await startInspector()
  const post = (body: string) =>
    fetch(`${running.url}/v1/traces`, { method: "POST", headers: { "content-type": "application/json" }, body })
  expect((await post(JSON.stringify(failedSpan()))).status).toBe(200)
  expect((await post("{")).status).toBe(400)
  await running.inspector.receiver.drops.flush()

  const found = async () => (await result(running, "find_traces", { filter: "status:error" })).content[0]?.text
  await expect
    .poll(found)
    .toMatch(new RegExp(`^1 traces:\n${TRACE_ID} 5 ms ⟦GET /cart⟧ \\(⟦shop⟧\\) 1 spans, 1 failed$`))
  const span = await result(running, "get_span", { traceId: TRACE_ID.toUpperCase(), spanId: SPAN_ID })
  expect(span.structuredContent).toMatchObject({ name: "GET /cart", status: "error", message: "no such item" })
  expect((await result(running, "get_drops")).content[0]?.text).toContain("1 × span dropped at ingest: malformed")

  expect(await result(running, "find_traces", { filter: "status:broken" })).toMatchObject({ isError: true })
  expect(await result(running, "get_error", { issueId: "0".repeat(32) })).toMatchObject({
    isError: true,
    content: [{ text: "No event of this issue is stored." }],
  })
})

test("a foreign origin, a foreign host and a missing token are refused", async () => {
  const running = await startInspector({ PAGESPAN_TOKEN: "a-token-of-sixteen" })
  const authorization = "Bearer a-token-of-sixteen"
  const statusOf = async (headers: object) => (await call(running, "get_drops", {}, headers)).status
  expect(await statusOf({ authorization })).toBe(200)
  expect(await statusOf({})).toBe(401)
  expect(await statusOf({ authorization, origin: "https://foreign.example" })).toBe(403)
  expect(await statusOf({ authorization, host: "foreign.example" })).toBeGreaterThanOrEqual(400)
})

test("a request for a stream is answered that there is none, and not counted as dropped", async () => {
  const { inspector } = await startWithoutStore()
  const ask = (host: string) =>
    mcpHandler(
      inspector,
      new Request("http://localhost/mcp", { headers: { host, accept: "text/event-stream" } }),
      "1.0.0",
    )
  const response = await ask("localhost")
  expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"])
  expect(inspector.receiver.drops.totals()).toEqual({})
  expect((await ask("evil.example")).status).toBe(421)
})

test("arguments that a tool does not have, and times that are none, are refused and named", async () => {
  const running = await startWithoutStore()
  const texts = async (name: string, given: object) => (await result(running, name, given)).content[0]?.text
  expect(await texts("find_traces", { q: "status:error" })).toContain(`"q"`)
  expect(await texts("find_errors", { since: "5 minutes" })).toContain("an age like 15m")
  expect(await texts("get_logs", { since: "2026-11-28" })).toContain("a time like 2026-01-31T12:00:00Z")
})
