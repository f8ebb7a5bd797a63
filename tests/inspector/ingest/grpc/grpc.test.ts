import { connect, constants } from "node:http2"
import { connect as connectTcp } from "node:net"
import { Client, credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js"
import { SpanStatusCode } from "@opentelemetry/api"
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-grpc"
import { CompressionAlgorithm } from "@opentelemetry/otlp-exporter-base"
import { resourceFromAttributes } from "@opentelemetry/resources"
import { BatchSpanProcessor } from "@opentelemetry/sdk-trace-base"
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node"
import { describe, expect, onTestFinished, test } from "vitest"
import { type GrpcTimeouts, openGrpc } from "#otel/inspector/ingest/grpc/grpc-server.ts"
import type { ReceiverOptions } from "#otel/inspector/ingest/receiver.ts"
import { type OtlpMessage, otlpType } from "#otel/protocol/otlp/message.ts"
import { secret } from "#otel/protocol/secret.ts"
import { encodeProtobuf, type Json, request, span } from "#tests/protocol/otlp/requests.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { startReceiver } from "#tests/inspector/ingest/receiver-under-test.ts"

const TOKEN = "0123456789abcdef"
const same = (bytes: Buffer) => bytes

async function start(options: Partial<ReceiverOptions> = {}, timeouts?: GrpcTimeouts) {
  const started = await startReceiver(options)
  const listening = await openGrpc(started.receiver, "127.0.0.1", 0, timeouts)
  onTestFinished(() => listening.close())
  return { ...started, address: `127.0.0.1:${listening.port}` }
}

type Answer = { readonly message: Json } | { readonly error: ServiceError }

async function call(address: string, service: string, body: Uint8Array, metadata = new Metadata(), options = {}) {
  const client = new Client(address, credentials.createInsecure(), options)
  onTestFinished(() => client.close())
  const path = `/opentelemetry.proto.collector.${service.toLowerCase()}.v1.${service}Service/Export`
  return new Promise<Answer>((resolve) => {
    client.makeUnaryRequest(path, same, same, Buffer.from(body), metadata, (error, bytes) => {
      const type = otlpType(`Export${service}ServiceResponse` as OtlpMessage)
      if (error === null) resolve({ message: type.toObject(type.decode(bytes!), { longs: String }) })
      else resolve({ error })
    })
  })
}

function errorOf(answer: Answer): ServiceError {
  if ("error" in answer) return answer.error
  throw new Error("the call was answered without an error")
}

test.each([CompressionAlgorithm.NONE, CompressionAlgorithm.GZIP])(
  "spans of OpenTelemetry's own gRPC exporter (%s) are stored as they were recorded",
  async (compression) => {
    const { sink, receiver, address } = await start({ token: secret(TOKEN) })
    const metadata = new Metadata()
    metadata.set("authorization", `Bearer ${TOKEN}`)
    const exporter = new OTLPTraceExporter({ url: `http://${address}`, compression, metadata })
    const provider = new NodeTracerProvider({
      resource: resourceFromAttributes({ "service.name": "checkout" }),
      spanProcessors: [new BatchSpanProcessor(exporter)],
    })
    const recorded = provider.getTracer("test").startSpan("POST /cart", { startTime: [1_790_000_000, 123_456_789] })
    recorded.setAttribute("whole", 42)
    recorded.setStatus({ code: SpanStatusCode.ERROR, message: "no" })
    recorded.end([1_790_000_001, 1])
    await provider.shutdown()
    await receiver.close()
    expect(receiver.drops.totals()).toStrictEqual({})
    expect(sink.spans).toMatchObject([
      {
        traceId: recorded.spanContext().traceId,
        name: "POST /cart",
        startTime: 1_790_000_000_123_456_789n,
        status: { code: "error", message: "no" },
        attributes: new Map([["whole", 42n]]),
      },
    ])
  },
)

describe("Export", () => {
  test("of traces returns an empty message, or names invalid spans and stores the others", async () => {
    const { sink, receiver, address } = await start()
    expect(await call(address, "Trace", encodeProtobuf(request(span())))).toStrictEqual({ message: {} })
    const bad = request(span({ spanId: "00".repeat(8) }), span({ name: "good" }))
    const answer = await call(address, "Trace", encodeProtobuf(bad))
    expect(answer).toMatchObject({ message: { partialSuccess: { rejectedSpans: "1" } } })
    await receiver.close()
    expect(sink.spans.map(({ name }) => name)).toStrictEqual(["GET /", "good"])
    expect(receiver.drops.totals()).toStrictEqual({ invalid: 1 })
  })

  test("of logs stores them, and of metrics rejects them", async () => {
    const { sink, receiver, address } = await start()
    const logs = { resourceLogs: [{ scopeLogs: [{ logRecords: [{ body: { stringValue: "hello" } }] }] }] }
    expect(await call(address, "Logs", encodeProtobuf(logs, "ExportLogsServiceRequest"))).toStrictEqual({ message: {} })
    const metrics = otlpType("ExportMetricsServiceRequest")
    const gauge = { dataPoints: [Buffer.alloc(0), Buffer.alloc(0)] }
    const body = metrics.encode({ resourceMetrics: [{ scopeMetrics: [{ metrics: [{ gauge }] }] }] }).finish()
    expect(await call(address, "Metrics", body)).toMatchObject({
      message: { partialSuccess: { rejectedDataPoints: "2" } },
    })
    await receiver.close()
    expect(sink.logs.map(({ body }) => body)).toStrictEqual(["hello"])
    expect(receiver.drops.totals()).toStrictEqual({ unsupported: 2 })
  })

  test("of a malformed message is INVALID_ARGUMENT, which clients do not retry", async () => {
    const { receiver, address } = await start()
    expect(errorOf(await call(address, "Trace", Buffer.from("garbage"))).code).toBe(status.INVALID_ARGUMENT)
    expect(receiver.drops.totals()).toStrictEqual({ malformed: 1 })
  })

  test("while the queue is full is UNAVAILABLE, with the time to retry after", async () => {
    const { receiver, sink, address } = await start({ waitingSpanLimit: 1, storeState: () => "ready" })
    sink.isDown = true
    await call(address, "Trace", encodeProtobuf(request(span())))
    const error = errorOf(await call(address, "Trace", encodeProtobuf(request(span()))))
    expect(error.code).toBe(status.UNAVAILABLE)
    const details = otlpType("Status").decode(error.metadata.get("grpc-status-details-bin")[0] as Buffer) as Json
    expect(details.details[0].typeUrl).toBe("type.googleapis.com/google.rpc.RetryInfo")
    const retry = otlpType("RetryInfo").decode(details.details[0].value) as Json
    expect(Number(retry.retryDelay.seconds)).toBeGreaterThan(0)
    expect(receiver.drops.totals()).toStrictEqual({ queue_overflow: 1 })
  })

  test("requires a served host and the token", async () => {
    const { receiver, address } = await start({ token: secret(TOKEN) })
    const body = encodeProtobuf(request(span()))
    expect(errorOf(await call(address, "Trace", body)).code).toBe(status.UNAUTHENTICATED)
    const rebound = { "grpc.default_authority": "rebound.test:4317" }
    expect(errorOf(await call(address, "Trace", body, new Metadata(), rebound)).code).toBe(status.PERMISSION_DENIED)
    expect(receiver.drops.totals()).toStrictEqual({ unauthorized: 1, foreign_host: 1 })
  })

  test("of more than 4 MiB, before or after inflation, is refused", async () => {
    const { receiver, sink, address } = await start()
    const large = Buffer.alloc(4 * 1024 * 1024 + 1)
    expect(errorOf(await call(address, "Trace", large)).code).toBe(status.RESOURCE_EXHAUSTED)
    const inflated = errorOf(
      await call(address, "Trace", large, new Metadata(), { "grpc.default_compression_algorithm": 2 }),
    )
    expect(inflated.code).toBe(status.RESOURCE_EXHAUSTED)
    await waitFor("the drops", () => receiver.drops.totals().malformed === 2)
    await receiver.close()
    expect(sink.spans).toStrictEqual([])
  })

  test("ends the stream of a message that is refused before it is complete, whose client may never end it", async () => {
    const { receiver, address } = await start()
    const { stream, status: refused } = hold(address)
    stream.write(Buffer.from([0, 0, 0x50, 0, 0, 1, 2, 3]))
    expect(await refused).toBe(String(status.RESOURCE_EXHAUSTED))
    await waitFor("the end of its stream", () => stream.closed)
    expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR)
    await waitFor("the drop", () => receiver.drops.totals().malformed === 1)
  })

  test("reads 32 calls at once, lets 224 wait for their turn, and refuses the next with UNAVAILABLE", async () => {
    const { receiver, sink, address } = await start()
    const read = Array.from({ length: 32 }, () => hold(address))
    await Promise.all(read.map(({ opened }) => opened))
    const waiting = Array.from({ length: 224 }, () => hold(address))
    await Promise.all(waiting.map(({ opened }) => opened))
    const error = errorOf(await call(address, "Trace", encodeProtobuf(request(span()))))
    expect(error.code).toBe(status.UNAVAILABLE)
    expect(receiver.drops.totals()).toStrictEqual({ queue_overflow: 1 })
    waiting.at(-1)?.stream.end(framed(encodeProtobuf(request(span()))))
    for (const { stream } of [...read, ...waiting.slice(0, -1)]) stream.close()
    await waitFor("the last call's turn", () => sink.spans.length === 1)
    expect(await call(address, "Trace", encodeProtobuf(request(span())))).toStrictEqual({ message: {} })
  })

  test("of a call whose turn does not come in time is UNAVAILABLE", async () => {
    const { receiver } = await startReceiver()
    const stuck = Object.create(receiver, { export: { value: () => new Promise(() => undefined) } }) as typeof receiver
    const { port, close } = await openGrpc(stuck, "127.0.0.1", 0, { messageMs: 300, idleMs: 60_000 })
    onTestFinished(() => close())
    const busy = Array.from({ length: 32 }, () => hold(`127.0.0.1:${port}`))
    for (const { stream } of busy) stream.end(framed(encodeProtobuf(request(span()))))
    await Promise.all(busy.map(({ opened }) => opened))
    const waiting = hold(`127.0.0.1:${port}`)
    expect(await waiting.status).toBe(String(status.UNAVAILABLE))
    expect(receiver.drops.totals()).toStrictEqual({ queue_overflow: 1 })
  })
})

describe("a slow client", () => {
  test("with incomplete calls is disconnected at the deadline, counted, and others are served", async () => {
    const { receiver, sink, address } = await start({}, { messageMs: 300, idleMs: 60_000 })
    const held = Array.from({ length: 32 }, () => hold(address))
    await Promise.all(held.map(({ opened }) => opened))
    for (const { stream } of held) stream.write(Buffer.from([0, 0, 0, 4, 0, 1]))
    const statuses = await Promise.all(held.map(({ status: ended }) => ended))
    expect(statuses).toStrictEqual(held.map(() => String(status.DEADLINE_EXCEEDED)))
    await waitFor("the end of their streams", () => held.every(({ stream }) => stream.closed))
    expect(receiver.drops.totals()).toStrictEqual({ network_error: 32 })
    expect(await call(address, "Trace", encodeProtobuf(request(span())))).toStrictEqual({ message: {} })
    await receiver.close()
    expect(sink.spans).toHaveLength(1)
  })

  test("with a complete message that does not end its side is disconnected too", async () => {
    const { receiver, address } = await start({}, { messageMs: 300, idleMs: 60_000 })
    const { stream, status: ended } = hold(address)
    stream.write(framed(encodeProtobuf(request(span()))))
    expect(await ended).toBe(String(status.DEADLINE_EXCEEDED))
    await waitFor("the end of its stream", () => stream.closed)
    expect(receiver.drops.totals()).toStrictEqual({ network_error: 1 })
  })

  test("whose call is refused cannot send more on it", async () => {
    const { receiver, address } = await start({ token: secret(TOKEN) }, { messageMs: 60_000, idleMs: 60_000 })
    const { stream, status: refused } = hold(address)
    stream.write(Buffer.alloc(1024))
    expect(await refused).toBe(String(status.UNAUTHENTICATED))
    await waitFor("the end of its stream", () => stream.closed)
    expect(receiver.drops.totals()).toStrictEqual({ unauthorized: 1 })
  })

  test.each([
    ["silent", ""],
    ["that has sent the preface and its settings", PREFACE],
    ["that has begun a call and not ended its headers", `${PREFACE}\0\0\x01\x01\0\0\0\0\x01\x83`],
    ["that is not HTTP/2", "GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"],
  ])("on a socket %s is disconnected", async (_name, bytes) => {
    const { address } = await start({}, { messageMs: 60_000, idleMs: 300 })
    const socket = connectTcp(Number(address.split(":")[1]), "127.0.0.1")
    onTestFinished(() => void socket.destroy())
    socket.on("error", () => undefined)
    socket.resume()
    socket.write(bytes, "latin1")
    await waitFor("the end of the connection", () => socket.closed)
  })
})

describe("clients that never read", () => {
  const BEGINNINGS = ["", PREFACE, `${PREFACE}\0\0\x01\x01\0\0\0\0\x01\x83`]

  /** Sockets that take nothing, not even the end of the connection. */
  async function deafClients(port: number): Promise<void> {
    const sockets = BEGINNINGS.map((bytes) => {
      const socket = connectTcp(port, "127.0.0.1")
      onTestFinished(() => void socket.destroy())
      socket.on("error", () => undefined)
      socket.write(bytes, "latin1")
      return socket
    })
    await waitFor("their connections", () => sockets.every(({ readyState }) => readyState === "open"))
  }

  /** Sockets of this process, which is client and server. */
  const openSockets = () => process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length

  test("hold up no stop", async () => {
    const { receiver } = await startReceiver()
    const { port, close } = await openGrpc(receiver, "127.0.0.1", 0)
    await deafClients(port)
    await close()
  })

  test("hold no socket for long", async () => {
    const { address } = await start({}, { messageMs: 60_000, idleMs: 300 })
    const before = openSockets()
    await deafClients(Number(address.split(":")[1]))
    await waitFor("their sockets", () => openSockets() === before + 2 * BEGINNINGS.length)
    await waitFor("the end of the server's", () => openSockets() === before + BEGINNINGS.length)
  })
})

/** The connection preface and an empty SETTINGS frame. */
const PREFACE = `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0`

/** A message that is not compressed, behind its prefix. */
function framed(message: Uint8Array): Buffer {
  const prefix = Buffer.alloc(5)
  prefix.writeUInt32BE(message.length, 1)
  return Buffer.concat([prefix, message])
}

/** Opens a call and sends only its headers, as a slow or hostile client does. */
function hold(address: string) {
  const session = connect(`http://${address}`)
  onTestFinished(() => session.destroy())
  const stream = session.request({
    ":method": "POST",
    ":path": "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
    "content-type": "application/grpc",
    te: "trailers",
  })
  // Once the server responds to a later ping, it has read the headers.
  const opened = new Promise<void>((resolve) => session.ping(() => resolve()))
  stream.on("error", () => undefined)
  const ended = new Promise<string>((resolve) =>
    stream.once("response", (headers) => resolve(String(headers["grpc-status"]))),
  )
  return { stream, opened, status: ended }
}
