import { expect, test } from "vitest"
import type { Inspector } from "#otel/inspector/inspector.ts"
import { mcpHandler } from "#otel/inspector/mcp/mcp-handler.ts"
import { mutate } from "#tests/inspector/ingest/mutate.ts"
import { startInspector } from "#tests/inspector/ingest/running-inspector.ts"
import type { Random } from "#tests/protocol/otlp/random.ts"
import { span } from "#tests/protocol/otlp/requests.ts"
import { envelope, errorEvent, item } from "#tests/protocol/sentry/envelopes.ts"
import { fuzz, FUZZ_LIMIT_MS, FUZZ_SEED, replay } from "#tests/support/fuzz.ts"
import { waitFor } from "#tests/support/wait-for.ts"

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
const SPAN_ID = "b7ad6b7169203331"
const CALLS: readonly (readonly [tool: string, given: object])[] = [
  ["find_traces", { filter: "status:error", since: "15m", limit: 5 }],
  ["what_differs", { filter: "status:error", baseline: "", since: "15m" }],
  ["find_errors", { service: "shop", limit: 5 }],
  ["get_error", { issueId: "0".repeat(32) }],
  ["trace_topology", { traceId: TRACE_ID, maxSpans: 10 }],
  ["critical_path", { traceId: TRACE_ID }],
  ["get_findings", { traceId: TRACE_ID }],
  ["get_span", { traceId: TRACE_ID, spanId: SPAN_ID }],
  ["get_logs", { filter: "severity>=warn" }],
  ["compare", { a: "release:1", b: "release:2", aSince: "48h", limit: 5 }],
  ["list_services", { filter: "service:shop" }],
  ["get_service", { service: "shop" }],
  ["get_session", { sessionId: "s1" }],
  ["assert_budget", { budgets: { routes: { "*": { duration: { p75: "1s" } } } } }],
  ["get_drops", {}],
]
const MESSAGES: readonly object[] = [
  ...CALLS.map(([name, given]) => ({ method: "tools/call", params: { name, arguments: given } })),
  {
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } },
  },
  { method: "tools/list" },
  { method: "ping" },
  { method: "notifications/cancelled", params: { requestId: 1 } },
  { method: "resources/read", params: { uri: "file:///etc/passwd" } },
  {
    method: "completion/complete",
    params: { ref: { type: "ref/prompt", name: "x" }, argument: { name: "a", value: "b" } },
  },
]
const ODD: readonly unknown[] = [
  null,
  -1,
  1e300,
  "",
  "x".repeat(100_000),
  [],
  {},
  true,
  "\ud800",
  { __proto__: null },
  [[[[]]]],
]

/** What an agent gets of an error that no tool expects. */
const FAILED = "The tool failed."

/** An inspector whose store has a trace, an error and a log, so that each tool has something to answer. */
async function filledInspector(): Promise<Inspector> {
  const { inspector, url, read } = await startInspector()
  const text = { stringValue: "shop" }
  const resource = { attributes: [{ key: "service.name", value: text }] }
  const time = `${Date.now()}000000`
  const logRecords = [{ timeUnixNano: time, traceId: TRACE_ID, spanId: SPAN_ID, severityNumber: 17, body: text }]
  const attributes = [{ key: "session.id", value: { stringValue: "s1" } }]
  const spans = [
    span({ traceId: TRACE_ID, spanId: SPAN_ID, startTimeUnixNano: time, endTimeUnixNano: time, attributes, kind: 2 }),
  ]
  const json = { "content-type": "application/json" }
  const sent: readonly (readonly [path: string, headers: Record<string, string>, body: BodyInit])[] = [
    ["/v1/traces", json, JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] })],
    ["/v1/logs", json, JSON.stringify({ resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] })],
    [
      "/api/1/envelope/?sentry_key=any",
      {},
      envelope({}, item("event", errorEvent({ timestamp: Date.now() / 1_000 }))) as Uint8Array<ArrayBuffer>,
    ],
  ]
  for (const [path, headers, body] of sent)
    expect((await fetch(url + path, { method: "POST", headers, body })).status).toBe(200)
  await waitFor("the trace", () => read(`/api/traces/${TRACE_ID}`))
  await waitFor("the error", async () => (await read("/api/errors"))?.issues.length > 0)
  return inspector
}

function withOddValue(random: Random, value: unknown): unknown {
  if (typeof value !== "object" || value === null || random.chance(0.2)) return random.pick(ODD)
  const copy: Record<string, unknown> = { ...value }
  const key = random.pick([...Object.keys(copy), "extra"])
  copy[key] = withOddValue(random, copy[key])
  return copy
}

interface McpRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

function generated(random: Random): McpRequest {
  const message = () => {
    const whole = { jsonrpc: "2.0", id: random.pick([1, "a"]), ...random.pick(MESSAGES) }
    return random.chance(0.5) ? whole : withOddValue(random, whole)
  }
  const bytes = Buffer.from(JSON.stringify(random.chance(0.9) ? message() : random.list(20, message)) ?? "")
  return {
    method: random.chance(0.95) ? "POST" : random.pick(["GET", "DELETE", "PUT"]),
    headers: {
      host: "localhost",
      "content-type": random.chance(0.95) ? "application/json" : random.pick(["text/plain", "", "x"]),
      accept: random.chance(0.95) ? "application/json, text/event-stream" : random.pick(["*/*", "", "text/html"]),
      ...(random.chance(0.1) && { "mcp-session-id": "x", "last-event-id": "y" }),
      ...(random.chance(0.1) && { "mcp-protocol-version": random.pick(["2025-11-25", "1", "", "x".repeat(9_999)]) }),
    },
    body: random.chance(0.6) ? bytes : mutate(random, bytes, Buffer.from(JSON.stringify(message()))),
  }
}

/** Rejects if the answer reports a failure, of a tool too, or contains a stack. */
async function answer(
  inspector: Inspector,
  { method, headers, body }: McpRequest,
): Promise<readonly (number | string)[]> {
  const request = new Request("http://localhost/mcp", {
    method,
    headers,
    ...(method !== "GET" && { body: body as Uint8Array<ArrayBuffer> }),
  })
  const response = await mcpHandler(inspector, request, "1.0.0")
  const text = await response.text()
  if (response.status >= 500) throw new Error(`answered ${response.status}`)
  if (/node_modules|\.ts:\d|\bat \S+ \(/.test(text)) throw new Error("the answer has a stack")
  if (text.includes(FAILED)) throw new Error(`a tool failed: ${text}`)
  return [response.status, ...(/"structuredContent":\{"[^}]/.test(text) ? ["answered by a tool"] : [])]
}

test("MCP requests that a fuzzer found are answered, and nothing breaks", async () => {
  const inspector = await filledInspector()
  const count = await replay<McpRequest>({ name: "mcp", run: (request) => answer(inspector, request) })
  expect(count).toBeGreaterThan(0)
})

test(
  `broken MCP requests (seed ${FUZZ_SEED}) are answered, and nothing breaks`,
  async () => {
    const inspector = await filledInspector()
    const { inputs, outcomes } = await fuzz<McpRequest>({
      name: "mcp",
      leastInputs: 1_000,
      generate: generated,
      run: (request) => answer(inspector, request),
    })
    for (const status of [200, 400]) expect(outcomes.get(status)).toBeGreaterThan(inputs / 10)
    expect(outcomes.get("answered by a tool")).toBeGreaterThan(inputs / 10)
  },
  FUZZ_LIMIT_MS,
)
