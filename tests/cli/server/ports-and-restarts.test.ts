import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-grpc"
import { BatchSpanProcessor } from "@opentelemetry/sdk-trace-base"
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node"
import { expect, onTestFinished, test } from "vitest"
import { RecordingServer } from "#tests/support/recording-server.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { launch, otlpSpan, post } from "./launch-inspector.ts"

test("listens for OTLP/gRPC and Spotlight on their ports, and prints one line for a port that is taken", async () => {
  const free = await new RecordingServer().listen()
  const grpcPort = String(free.port)
  await free.close()
  const other = await new RecordingServer().listen()
  onTestFinished(() => other.close())
  const app = await launch({
    PAGESPAN_SELF: "off",
    PAGESPAN_GRPC: grpcPort,
    PAGESPAN_SPOTLIGHT: String(other.port),
  })
  await app.ready()
  expect(app.output.split("\n")).toContain(
    `PAGESPAN_SPOTLIGHT is ${other.port}, which is taken: SDKs with spotlight: true cannot reach this inspector`,
  )
  const exporter = new OTLPTraceExporter({ url: `http://localhost:${grpcPort}` })
  const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] })
  const span = provider.getTracer("test").startSpan("by gRPC")
  span.end()
  await provider.shutdown()
  const { traceId } = span.spanContext()
  await waitFor("the trace", async () => (await fetch(`${app.url}/api/traces/${traceId}`)).ok)

  const second = await launch({
    PAGESPAN_SELF: "off",
    PAGESPAN_GRPC: grpcPort,
    PAGESPAN_SPOTLIGHT: "0",
  })
  await second.ready()
  expect(second.output.split("\n")).toContain(
    `PAGESPAN_GRPC is ${grpcPort}, which is taken: OTLP/gRPC is off, OTLP/HTTP is on`,
  )
  expect(second.output, "gRPC's own message").not.toContain("No address added")
  // As when the terminal closes.
  expect(await second.stop("SIGHUP")).toEqual({ code: 0, signal: null })
  expect(await app.stop("SIGTERM")).toEqual({ code: 0, signal: null })
})

test("restarts a store process that dies, and keeps the spans that arrive meanwhile", async () => {
  const app = await launch({ PAGESPAN_SELF: "off" })
  await app.ready()
  const store = await waitFor("the store process", async () => (await childrenOf(app.pid)).at(0))
  process.kill(store, "SIGKILL")
  expect(await post(app.url, [otlpSpan(7)])).toBe(200)
  await waitFor("health", async () => (await fetch(`${app.url}/health`)).status === 200)
  await waitFor("the trace", async () => (await fetch(`${app.url}/api/traces/${"a0000007".padStart(32, "0")}`)).ok)
})

async function childrenOf(pid: number): Promise<number[]> {
  const { readFile } = await import("node:fs/promises")
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")
  return text.trim().split(" ").filter(Boolean).map(Number)
}
