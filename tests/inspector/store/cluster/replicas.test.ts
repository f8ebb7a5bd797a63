import type { ChildProcess } from "node:child_process"
import type { ClickHouseClient } from "@clickhouse/client"
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from "vitest"
import { secret } from "#otel/protocol/secret.ts"
import { RunningApp } from "#tests/support/running-app.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { removeDirectory, temporaryDirectory } from "../directories.ts"
import { clientOf, forkStore, portOf, stop, TOKEN } from "../process/processes.ts"
import { DAY_MS } from "../stores.ts"
import { openTestStore } from "../test-store.ts"
import { Balancer, type Fault, type StatementAt, TABLE_IS_READ_ONLY, TOO_MANY_PARTS } from "./balancer.ts"

/** `CLICKHOUSE_URL` names a balancer, behind which three replicas answer, fail, answer late and lose connections. */

const REPLICAS = 3
const SPANS = 40
/** These limits end a test that hangs. The store pauses up to 10 s between attempts. */
const PATIENCE_MS = 120_000
vi.setConfig({ testTimeout: 600_000 })

const directories = Array.from({ length: REPLICAS }, temporaryDirectory)
let processes: readonly ChildProcess[] = []
let clients: readonly ClickHouseClient[] = []
let balancer: Balancer
let app: RunningApp

beforeAll(async () => {
  processes = directories.map(() => forkStore())
  const ports = await Promise.all(processes.map((child, at) => portOf(child, directories[at]!)))
  clients = ports.map((port) => clientOf(port))
  for (const port of ports) {
    const store = openTestStore({ url: secret(urlOf(port)) }, { retentionMs: DAY_MS })
    await store.ready()
    await store.close()
  }
  balancer = await Balancer.listen(ports)
  app = await RunningApp.start({ CLICKHOUSE_URL: urlOf(balancer.port), PAGESPAN_SELF: "off" })
})
afterEach(() => void (balancer.fault = () => undefined))
afterAll(async () => {
  await app?.stop()
  await balancer?.close()
  await Promise.all(clients.map((client) => client.close()))
  await Promise.all(processes.map((child) => stop(child)))
  for (const directory of directories) removeDirectory(directory)
})

function urlOf(port: number): string {
  return `http://default:${encodeURIComponent(TOKEN)}@127.0.0.1:${port}`
}

const isInsert = ({ sql }: StatementAt) => sql.startsWith("INSERT INTO")

/** Every other statement that is selected meets the next fault, until all have happened. */
function faultsInTurn(faults: readonly Fault[], isSelected: (statement: StatementAt) => boolean): Fault[] {
  const left = [...faults]
  let selected = 0
  balancer.fault = (statement) => (isSelected(statement) && selected++ % 2 === 0 ? left.shift() : undefined)
  return left
}

const hex = (number: number, digits: number) => number.toString(16).padStart(digits, "0")

/** Sends one trace with `SPANS` spans. */
async function sendTrace(number: number): Promise<void> {
  const spans = Array.from({ length: SPANS }, (_, at) => ({
    traceId: hex(number, 32),
    spanId: hex(number * 1_000 + at + 1, 16),
    name: `span ${at}`,
    startTimeUnixNano: `${Date.now()}000000`,
    endTimeUnixNano: `${Date.now()}500000`,
  }))
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })
  const headers = { "content-type": "application/json" }
  const response = await fetch(`${app.url}/v1/traces`, { method: "POST", headers, body })
  expect([response.status, await response.json()]).toEqual([200, {}])
}

interface Health {
  readonly status: string
  readonly queue: { readonly depth: number }
  readonly dropped: Readonly<Record<string, number>>
}

async function health(): Promise<Health> {
  return (await (await fetch(`${app.url}/health`)).json()) as Health
}

async function everythingStored(): Promise<void> {
  const isStored = async () => {
    const { status, queue } = await health()
    return status === "ok" && queue.depth === 0
  }
  await waitFor("everything to be stored", isStored, PATIENCE_MS)
}

async function spansOf(trace: number): Promise<number> {
  const response = await fetch(`${app.url}/api/traces/${hex(trace, 32)}`)
  const { resourceSpans } = (await response.json()) as { resourceSpans: { scopeSpans: { spans: unknown[] }[] }[] }
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)).length
}

/** Rows of the traces in a table of each replica, and how many differ. */
async function rowsOf(table: string, traces: readonly number[]) {
  const query = `SELECT toUInt32(count()) AS rows, toUInt32(uniqExact(TraceId, SpanId)) AS spans FROM ${table}
    WHERE TraceId IN {ids:Array(String)}`
  const ids = traces.map((trace) => hex(trace, 32))
  return Promise.all(
    clients.map(async (client) => {
      const answer = await client.query({ query, query_params: { ids }, format: "JSONEachRow" })
      return (await answer.json())[0]
    }),
  )
}

const FAULTS: readonly Fault[] = [
  { kind: "reset" },
  TOO_MANY_PARTS,
  { kind: "no-answer" },
  { kind: "bad-gateway" },
  { kind: "one-replica" },
  { kind: "late", ms: 1_500 },
  TABLE_IS_READ_ONLY,
  { kind: "one-replica" },
  { kind: "no-answer" },
  { kind: "late", ms: 300 },
]

test("inserts that fail, come late or lose their answers: every span is on every replica once, and none is dropped", async () => {
  const left = faultsInTurn(FAULTS, isInsert)
  const traces = Array.from({ length: 30 }, (_, at) => at + 1)
  for (const trace of traces) {
    await sendTrace(trace)
    // Several batches, so that faults meet inserts into both tables of spans.
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  // A fault that no insert of these batches has met yet meets one of these.
  for (let extra = 101; left.length > 0; extra++) {
    traces.push(extra)
    await sendTrace(extra)
    await everythingStored()
  }
  await everythingStored()
  const spans = traces.length * SPANS
  const once = Array.from({ length: REPLICAS }, () => ({ rows: spans, spans }))
  expect(await rowsOf("otel_traces", traces)).toEqual(once)
  expect(await rowsOf("pagespan_spans FINAL", traces)).toEqual(once)
  for (const trace of traces) expect(await spansOf(trace)).toBe(SPANS)
  expect((await health()).dropped).toEqual({})
})

test("one replica of three is read-only for good: the others take what it refuses", async () => {
  balancer.fault = (statement) => (isInsert(statement) && statement.replica === 0 ? TABLE_IS_READ_ONLY : undefined)
  const traces = Array.from({ length: 8 }, (_, at) => 201 + at)
  for (const trace of traces) {
    await sendTrace(trace)
    await everythingStored()
  }
  for (const trace of traces) expect(await spansOf(trace)).toBe(SPANS)
  expect((await health()).dropped).toEqual({})
})

test("while no replica takes records the reason is reported, queries answer, and what waited is stored afterwards", async () => {
  await sendTrace(301)
  await everythingStored()
  balancer.fault = (statement) => (isInsert(statement) ? TABLE_IS_READ_ONLY : undefined)
  await sendTrace(302)
  await waitFor("the report", async () => (await health()).status !== "ok", PATIENCE_MS)
  expect(await spansOf(301)).toBe(SPANS)
  balancer.fault = () => undefined
  await everythingStored()
  expect(await spansOf(302)).toBe(SPANS)
})

test("a query whose answer is reset, cut or no answer of ClickHouse gets 503, never a part of the list, and works the next time", async () => {
  await sendTrace(401)
  await everythingStored()
  onTestFinished(() => everythingStored())
  const list = () => fetch(`${app.url}/api/traces?limit=5`)
  for (const fault of [{ kind: "reset" }, { kind: "cut" }, { kind: "bad-gateway" }] satisfies Fault[]) {
    await everythingStored()
    const left = faultsInTurn([fault], ({ sql }) => sql.includes("pagespan_spans") && !sql.startsWith("INSERT"))
    const response = await list()
    expect([fault.kind, left.length, response.status]).toEqual([fault.kind, 0, 503])
    await waitFor("an answer", async () => (await list()).ok, PATIENCE_MS)
  }
})
