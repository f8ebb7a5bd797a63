import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { RunningApp } from "#tests/support/running-app.ts"
import { encode, type Json } from "#tests/wire/otlp/requests.ts"

/**
 * Prints how fast a started Pagespan takes spans over HTTP, what that costs, and how many are in the store after it:
 * `npm run bench:ingest`. First OTLP/protobuf in requests of 512 spans, then Sentry transactions of 20 spans one by one.
 * Senders wait for their answers, `SENDERS` at a time, in this process, which shares the machine with the server.
 */
const SECONDS = Number(process.env["PAGESPAN_BENCH_SECONDS"] ?? 5)
const SENDERS = 8
const OTLP_SPANS = 512
const SENTRY_SPANS = 20
const DRAIN_LIMIT_MS = 60_000
/** Of `/proc/{pid}/stat`. */
const TICKS_A_SECOND = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }))

interface Load {
  readonly name: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly spans: number
  body(number: number): Uint8Array
}

const text = (key: string, value: string): Json => ({ key, value: { stringValue: value } })
const hex = (number: number, digits: number) => number.toString(16).padStart(digits, "0")

function otlpBody(number: number): Uint8Array {
  const start = BigInt(Date.now()) * 1_000_000n
  const spans = Array.from({ length: OTLP_SPANS }, (_, index) => ({
    // Traces of 16 spans.
    traceId: `a${hex(number, 23)}${hex(index >> 4, 8)}`,
    spanId: hex(number * OTLP_SPANS + index + 1, 16),
    ...(index % 16 > 0 && { parentSpanId: hex(number * OTLP_SPANS + (index & ~15) + 1, 16) }),
    name: "GET /api/items/[id]",
    kind: 2,
    startTimeUnixNano: String(start + BigInt(index)),
    endTimeUnixNano: String(start + 5_000_000n),
    attributes: [
      text("http.request.method", "GET"),
      text("url.path", `/api/items/${index}`),
      text("http.route", "/api/items/[id]"),
      text("user_agent.original", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36"),
      { key: "http.response.status_code", value: { intValue: "200" } },
      { key: "cache.hit", value: { boolValue: true } },
    ],
  }))
  const resource = { attributes: [text("service.name", "shop"), text("host.name", "web-1")] }
  return encode({ resourceSpans: [{ resource, scopeSpans: [{ scope: { name: "bench" }, spans }] }] }, "protobuf")
}

function sentryBody(number: number): Uint8Array {
  const now = Date.now() / 1_000
  const id = (index: number) => hex(number * SENTRY_SPANS + index + 1, 16)
  const trace_id = `b${hex(number, 31)}`
  const children = Array.from({ length: SENTRY_SPANS - 1 }, (_, index) => ({
    trace_id,
    span_id: id(index + 1),
    parent_span_id: id(0),
    op: "db.query",
    description: `SELECT * FROM items WHERE id = $${index}`,
    start_timestamp: now,
    timestamp: now + 0.002,
    status: "ok",
    origin: "auto.db",
    data: { "db.system.name": "postgresql", "db.namespace": "shop", rows: index },
  }))
  const event = {
    type: "transaction",
    transaction: "/api/items/[id]",
    platform: "node",
    server_name: "web-1",
    environment: "production",
    start_timestamp: now,
    timestamp: now + 0.02,
    contexts: {
      trace: { trace_id, span_id: id(0), op: "http.server", status: "ok", data: { "http.route": "/api/items/[id]" } },
    },
    spans: children,
  }
  return Buffer.from(`{"sdk":{"name":"sentry.javascript.node"}}\n{"type":"transaction"}\n${JSON.stringify(event)}\n`)
}

const LOADS: readonly Load[] = [
  {
    name: `OTLP/protobuf, ${OTLP_SPANS} spans a request`,
    path: "/v1/traces",
    headers: { "content-type": "application/x-protobuf" },
    spans: OTLP_SPANS,
    body: otlpBody,
  },
  {
    name: `Sentry envelopes, one transaction of ${SENTRY_SPANS} spans each`,
    path: "/api/1/envelope/?sentry_key=bench",
    headers: { "content-type": "application/x-sentry-envelope" },
    spans: SENTRY_SPANS,
    body: sentryBody,
  },
]

/** CPU seconds of the process and of its children that have not ended: the server and its store. */
function cpuSeconds(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .trim()
    .split(" ")
    .filter(Boolean)
    .map(Number)
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  const own = (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND
  return children.reduce((sum, child) => sum + cpuSeconds(child), own)
}

interface Sent {
  accepted: number
  refused: number
  readonly latenciesMs: number[]
}

async function send(app: RunningApp, load: Load): Promise<Sent> {
  const sent: Sent = { accepted: 0, refused: 0, latenciesMs: [] }
  const end = performance.now() + SECONDS * 1_000
  let next = 0
  const sender = async () => {
    while (performance.now() < end) {
      const body = load.body(next++) as Uint8Array<ArrayBuffer>
      const before = performance.now()
      const response = await fetch(`${app.url}${load.path}`, { method: "POST", headers: load.headers, body })
      await response.arrayBuffer()
      sent.latenciesMs.push(performance.now() - before)
      if (response.ok) sent.accepted += 1
      else sent.refused += 1
    }
  }
  await Promise.all(Array.from({ length: SENDERS }, sender))
  return sent
}

async function untilDrained(app: RunningApp): Promise<void> {
  const deadline = Date.now() + DRAIN_LIMIT_MS
  while (Date.now() < deadline) {
    const { queue } = (await (await fetch(`${app.url}/health`)).json()) as { queue: { depth: number } }
    if (queue.depth === 0) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

async function countStored(app: RunningApp, source: string): Promise<number> {
  let count = 0
  let after = ""
  do {
    const answer = await fetch(`${app.url}/api/traces?limit=1000${after}`)
    const page = (await answer.json()) as { traces: { spanCount: number; sources: string[] }[]; next: string | null }
    for (const trace of page.traces) if (trace.sources.includes(source)) count += trace.spanCount
    after = page.next === null ? "" : `&after=${page.next}`
  } while (after !== "")
  return count
}

function percentile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? 0
}

const app = await RunningApp.start({ PAGESPAN_SELF: "off" })
try {
  console.log(`Node ${process.version}, ${SENDERS} senders, ${SECONDS} s each`)
  for (const [index, load] of LOADS.entries()) {
    const cpuBefore = cpuSeconds(app.pid)
    const timeBefore = performance.now()
    const { accepted, refused, latenciesMs } = await send(app, load)
    const seconds = (performance.now() - timeBefore) / 1_000
    await untilDrained(app)
    const cpu = cpuSeconds(app.pid) - cpuBefore
    const stored = await countStored(app, index === 0 ? "otlp" : "sentry")
    console.log(
      [
        `\n${load.name}`,
        `  requests/s ${(accepted / seconds).toFixed(0)}, spans/s ${((accepted * load.spans) / seconds).toFixed(0)}`,
        `  answer p50 ${percentile(latenciesMs, 0.5).toFixed(1)} ms, p99 ${percentile(latenciesMs, 0.99).toFixed(1)} ms`,
        `  CPU ${((cpu / accepted) * 1_000).toFixed(2)} ms a request, ${((cpu / accepted / load.spans) * 1e6).toFixed(1)} µs a span (server and store)`,
        `  accepted ${accepted * load.spans} spans, refused ${refused} requests, in the store ${stored}`,
      ].join("\n"),
    )
    if (stored !== accepted * load.spans) process.exitCode = 1
  }
} finally {
  await app.stop()
}
