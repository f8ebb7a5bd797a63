import { expect, test } from "vitest"
import type { Inspector } from "#otel/inspector/inspector.ts"
import { mcpHandler } from "#otel/inspector/mcp/mcp-handler.ts"
import { startFuzz } from "#tests/inspector/receiver/fuzz.ts"
import { mutate } from "#tests/inspector/receiver/mutate.ts"
import { startReceiver } from "#tests/inspector/receiver/receiver-under-test.ts"
import { Random } from "#tests/protocol/otlp/random.ts"

const { seed: SEED, seconds: SECONDS, testLimitMs: TEST_LIMIT_MS } = startFuzz(process.env)
/** At least this many in any time. */
const LEAST_ROUNDS = 1_000

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
const CALLS: readonly (readonly [tool: string, given: object])[] = [
  ["find_traces", { filter: "status:error", since: "15m", limit: 5 }],
  ["what_differs", { filter: "status:error", baseline: "", since: "15m" }],
  ["find_errors", { service: "shop", limit: 5 }],
  ["get_error", { issueId: "0".repeat(32) }],
  ["trace_topology", { traceId: TRACE_ID, maxSpans: 10 }],
  ["critical_path", { traceId: TRACE_ID }],
  ["get_findings", { traceId: TRACE_ID }],
  ["get_span", { traceId: TRACE_ID, spanId: "b7ad6b7169203331" }],
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

/** An inspector with an empty store. */
async function emptyInspector(): Promise<Inspector> {
  const { receiver } = await startReceiver()
  const queries = {
    withSignal: () => queries,
    traces: async () => ({ traces: [], next: undefined }),
    trace: async () => [],
    traceView: async () => undefined,
    errors: async () => ({ issues: [], next: undefined }),
    issue: async () => undefined,
    itemsOfEvent: async () => [],
    drops: async () => ({ drops: [], next: undefined }),
  }
  return { receiver, queries, runs: { lookup: () => undefined }, store: {} } as unknown as Inspector
}

function withOddValue(random: Random, value: unknown): unknown {
  if (typeof value !== "object" || value === null || random.chance(0.2)) return random.pick(ODD)
  const copy: Record<string, unknown> = { ...value }
  const key = random.pick([...Object.keys(copy), "extra"])
  copy[key] = withOddValue(random, copy[key])
  return copy
}

test(
  `broken MCP requests (seed ${SEED}) are answered, and nothing breaks`,
  async () => {
    const inspector = await emptyInspector()
    const random = new Random(SEED)
    const statuses = new Map<number, number>()
    const message = () => {
      const whole = { jsonrpc: "2.0", id: random.pick([1, "a"]), ...random.pick(MESSAGES) }
      return random.chance(0.5) ? whole : withOddValue(random, whole)
    }
    const end = performance.now() + SECONDS * 1_000
    let round = 0
    for (; round < LEAST_ROUNDS || performance.now() < end; round += 1) {
      const bytes = Buffer.from(JSON.stringify(random.chance(0.9) ? message() : random.list(20, message)) ?? "")
      const body = random.chance(0.6) ? bytes : mutate(random, bytes, Buffer.from(JSON.stringify(message())))
      const method = random.chance(0.95) ? "POST" : random.pick(["GET", "DELETE", "PUT"])
      const request = new Request("http://localhost/mcp", {
        method,
        headers: {
          host: "localhost",
          "content-type": random.chance(0.95) ? "application/json" : random.pick(["text/plain", "", "x"]),
          accept: random.chance(0.95) ? "application/json, text/event-stream" : random.pick(["*/*", "", "text/html"]),
          ...(random.chance(0.1) && { "mcp-session-id": "x", "last-event-id": "y" }),
          ...(random.chance(0.1) && {
            "mcp-protocol-version": random.pick(["2025-11-25", "1", "", "x".repeat(9_999)]),
          }),
        },
        ...(method !== "GET" && { body: body as Uint8Array<ArrayBuffer> }),
      })
      const response = await mcpHandler(inspector, request, "1.0.0")
      const text = await response.text()
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
      expect(text).not.toMatch(/node_modules|\.ts:\d|\bat \S+ \(/)
    }
    console.log(`seed ${SEED}, ${round} rounds`, Object.fromEntries(statuses))
    expect([...statuses.keys()].filter((status) => status >= 500)).toStrictEqual([])
    for (const status of [200, 400]) expect(statuses.get(status)).toBeGreaterThan(round / 10)
  },
  TEST_LIMIT_MS,
)
