import { trace } from "@opentelemetry/api"
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest"
import { processState } from "#otel/sdk/process-state.ts"
import { flushLocalServer } from "#otel/sdk/server/local-inspector.ts"
import { serverRuntime } from "#otel/sdk/server/runtime.ts"
import { startServer } from "#otel/sdk/server/start.ts"
import { tunnelHandler } from "#otel/sdk/tunnel/tunnel.ts"
import { envelopeText, post } from "#tests/sdk/tunnel/tunnel-runtime.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"

/** A server that exports to a collector, without an inspector: what its log says of spans that do not arrive. */
const SECRET = "hunter2hunter2"
const lines: string[] = []
let collector: RecordingCollector
let address: string

beforeAll(async () => {
  collector = await new RecordingCollector().listen()
  address = `${collector.endpoint}/v1/traces`
  vi.spyOn(console, "warn").mockImplementation((line: string) => void lines.push(line))
  vi.stubEnv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", `${address.replace("//", `//user:${SECRET}@`)}?key=${SECRET}`)
  vi.stubEnv("OTEL_EXPORTER_OTLP_TIMEOUT", "500")
  startServer(process.env)
})

afterAll(async () => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  await collector.close()
})

beforeEach(() => {
  lines.length = 0
  onTestFinished(() => (processState("unlogged-drops").value = undefined))
})

async function endSpans(count: number): Promise<void> {
  for (let index = 0; index < count; index++) trace.getTracer("app").startSpan("work").end()
  await flushLocalServer()
}

test("spans that the collector refuses are one line with count, status and address, without secrets", async () => {
  collector.answer = { status: 401, body: `{"token":"${SECRET}"}` }
  await endSpans(5)
  expect(lines).toEqual([`pagespan: 5 spans did not reach the collector (send_error: 401 from ${address})`])
})

test("spans beyond the queue are logged", async () => {
  collector.answer = { status: 200, body: "" }
  await endSpans(5_000)
  expect(lines).toEqual(["pagespan: 1 span did not reach the collector (queue_overflow)"])
})

test("the requests that the tunnel refuses of anybody are one line of each reason, however many they are", async () => {
  expect(serverRuntime()).toBeDefined()
  for (let index = 0; index < 300; index++) {
    await tunnelHandler(post("no envelope"))
    await tunnelHandler(post(envelopeText({ dsn: `https://${SECRET}@evil.example/${index}` }, ["event", {}])))
  }
  expect(lines.length).toBeGreaterThanOrEqual(2)
  expect(lines.length).toBeLessThanOrEqual(3)
  for (const line of lines)
    expect(line).toMatch(/^pagespan: the tunnel dropped 1 record \((?:malformed|foreign_dsn|rate_limited)\)$/)
})

test("spans for a collector that is down are logged with the code of the failure", async () => {
  await collector.close()
  await endSpans(3)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(
    /^pagespan: 3 spans did not reach the collector \(network_error: ECONN(?:REFUSED|RESET) from http/,
  )
})
