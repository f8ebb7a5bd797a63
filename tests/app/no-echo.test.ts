import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { RecordingServer } from "#tests/support/recording-server.ts"
import { RunningApp } from "#tests/support/running-app.ts"
import { sleep, waitFor } from "#tests/support/wait-for.ts"

/**
 * A server refuses everything that Pagespan sends. `WATCHED_SECONDS` sets how long the test watches this: `docs/promises.md` says
 * what ten minutes showed.
 */
const WATCHED_SECONDS = Number(process.env["WATCHED_SECONDS"] ?? 4)
vi.setConfig({ testTimeout: 180_000 + WATCHED_SECONDS * 1_000 })
const TRACE_ID = "e".repeat(32)

let target: RecordingServer
let app: RunningApp

beforeAll(async () => {
  target = await new RecordingServer().listen()
  target.answer = { status: 503, headers: { "retry-after": "0" } }
  const address = `127.0.0.1:${target.port}`
  app = await RunningApp.start({
    SENTRY_DSN: `http://key@${address}/1`,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://${address}`,
    OTEL_BSP_SCHEDULE_DELAY: "100",
    PAGESPAN_FORWARD_OTLP: `http://${address}`,
    PAGESPAN_FORWARD_SENTRY: `http://key@${address}/2`,
    PAGESPAN_FORWARD_ALLOWED_ADDRESSES: "127.0.0.1",
  })
})

afterAll(async () => {
  await app?.stop()
  await target?.close()
})

interface Health {
  readonly queue: { readonly depth: number }
  readonly dropped: Readonly<Record<string, number>>
}

const health = async () => (await (await fetch(`${app.url}/health`)).json()) as Health

const post = (path: string, type: string, body: string) =>
  fetch(`${app.url}${path}`, { method: "POST", headers: { "content-type": type }, body })

/** The names of all stored traces, except the traces of this query itself. */
async function traceNames(): Promise<string[]> {
  const { traces } = (await (await fetch(`${app.url}/api/traces?limit=1000`)).json()) as { traces: { name: string }[] }
  return traces.map(({ name }) => name).filter((name) => name !== "GET /api/traces")
}

const total = ({ dropped }: Health) => Object.values(dropped).reduce((sum, count) => sum + count, 0)

test("while every target fails, failed deliveries make no spans and no further drops", async () => {
  const now = `${Date.now()}000000`
  const span = {
    traceId: TRACE_ID,
    spanId: "e".repeat(16),
    name: "given",
    startTimeUnixNano: now,
    endTimeUnixNano: now,
  }
  const spans = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })
  await fetch(`${app.url}/connect`)
  await post("/v1/traces", "application/json", spans)
  await post("/monitoring", "text/plain", '{}\n{"type":"event"}\n{"event_id":"0123456789abcdef0123456789abcdef"}')
  await waitFor("refusals of all that was sent", () => new Set(target.requests.map(({ path }) => path)).size >= 4)
  await waitFor("its drops", async () => total(await health()) > 0)
  // Requests in flight have settled by now.
  await sleep(2_500)
  const before = { names: await traceNames(), drops: (await health()).dropped, tries: target.requests.length }
  await sleep(WATCHED_SECONDS * 1_000)
  const after = { names: await traceNames(), drops: (await health()).dropped }
  expect(target.requests.length).toBeGreaterThan(before.tries)
  expect(after.names).toEqual(before.names)
  expect(before.names.toSorted()).toEqual(["GET /connect", "given"])
  // The reads of this test are traced like any others, and Sentry and the collector refuse their spans.
  for (const [reason, count] of Object.entries(after.drops)) {
    const known = before.drops[reason] ?? 0
    expect(count - known).toBeLessThanOrEqual(SPANS_OF_A_READ)
  }
  // Forwarding backs off, so the rate of requests to a failing target does not grow.
  const tries = target.requests.length - before.tries
  console.info(`${WATCHED_SECONDS} s: ${tries} tries, ${after.names.length} traces, ${JSON.stringify(after.drops)}`)
  expect(tries).toBeLessThan(30 + WATCHED_SECONDS / 5)
})

/** The spans of `GET /api/traces` and its children, for Sentry and for the collector. */
const SPANS_OF_A_READ = 20
