import { connect as connectHttp2 } from "node:http2"
import { connect, type Socket } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { RecordingServer } from "#tests/support/recording-server.ts"
import { RunningApp } from "#tests/support/running-app.ts"
import { waitFor } from "#tests/support/wait-for.ts"

const WEBSOCKET =
  "connection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
/** Java's HTTP client sends this with its first request to offer HTTP/2. */
const H2C = "connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAEAAEAAAAIAAAAB\r\n"
const HMR = "GET /_next/webpack-hmr HTTP/1.1\r\n"

async function start(environment: Record<string, string> = {}): Promise<RunningApp> {
  const app = await RunningApp.launch({ PAGESPAN_SELF: "off", ...environment })
  onTestFinished(async () => void (await app.stop("SIGKILL")))
  await app.ready()
  // Next adds its upgrade listener with its first request.
  const token = environment["PAGESPAN_TOKEN"]
  const headers = { ...(token !== undefined && { authorization: `Bearer ${token}` }) }
  expect((await fetch(`${app.url}/connect`, { headers })).status).toBe(200)
  return app
}

interface Client {
  readonly socket: Socket
  readonly received: () => string
}

/** Opens a socket and sends the bytes. */
function send(port: string | number, bytes: string): Client {
  const socket = connect(Number(port), "127.0.0.1")
  let received = ""
  socket.on("data", (chunk: Buffer) => (received += chunk.toString()))
  // The server ends some of these connections.
  socket.on("error", () => undefined)
  socket.write(bytes)
  onTestFinished(() => void socket.destroy())
  return { socket, received: () => received }
}

async function statusOf({ received }: Client): Promise<number> {
  const line = await waitFor("an answer", () => /^HTTP\/1\.1 (\d{3}) /.exec(received())?.[1])
  return Number(line)
}

function trace(id: string): string {
  const span = { traceId: id, spanId: "00000000000000b1", name: "upgraded", startTimeUnixNano: `${Date.now()}000000` }
  return JSON.stringify({
    resourceSpans: [{ scopeSpans: [{ spans: [{ ...span, endTimeUnixNano: span.startTimeUnixNano }] }] }],
  })
}

test("a request with an Upgrade header passes the guards like any other, and no socket leaves HTTP", async () => {
  const app = await start()
  const { port } = new URL(app.url)
  const foreign = Array.from({ length: 200 }, () => send(port, `${HMR}host: evil.example\r\n${WEBSOCKET}\r\n`))
  expect(new Set(await Promise.all(foreign.map(statusOf)))).toEqual(new Set([421]))
  const page = send(port, `${HMR}host: localhost:${port}\r\norigin: https://evil.example\r\n${WEBSOCKET}\r\n`)
  expect(await statusOf(page)).toBe(404)
  const tunnel = send(port, `CONNECT localhost:22 HTTP/1.1\r\nhost: localhost:${port}\r\n\r\n`)
  await waitFor("the end of their connections", () => [...foreign, page, tunnel].every(({ socket }) => socket.closed))
  expect(tunnel.received()).toBe("")
})

test("spans in a request with Upgrade: h2c are stored, and a refused host is counted", async () => {
  const app = await start()
  const { port } = new URL(app.url)
  const id = "c".repeat(32)
  const body = trace(id)
  const head = (host: string) =>
    `POST /v1/traces HTTP/1.1\r\nhost: ${host}\r\n${H2C}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
  expect(await statusOf(send(port, head(`localhost:${port}`) + body))).toBe(200)
  await waitFor("the trace", async () => (await fetch(`${app.url}/api/traces/${id}`)).ok)
  expect(await statusOf(send(port, head("evil.example") + body))).toBe(421)
  await waitFor("its count", async () =>
    (await (await fetch(`${app.url}/api/dropped`)).text()).includes("foreign_host"),
  )
})

test("on every port a request with an Upgrade header needs the token that others need, and its body is not read", async () => {
  const free = await new RecordingServer().listen()
  const spotlightPort = free.port
  await free.close()
  const app = await start({ PAGESPAN_TOKEN: "correcthorsebatterystaple", PAGESPAN_SPOTLIGHT: String(spotlightPort) })
  const ports = [new URL(app.url).port, spotlightPort]
  const head = (method: string, path: string, host: string, upgrade: string) =>
    `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${upgrade}content-type: application/json\r\n`
  const sent = ports.flatMap((port) => [
    [421, send(port, `${head("GET", "/stream", "evil.example", WEBSOCKET)}\r\n`)] as const,
    [401, send(port, `${head("GET", "/stream", `localhost:${port}`, WEBSOCKET)}\r\n`)] as const,
    [401, send(port, `${head("GET", "/live", `localhost:${port}`, WEBSOCKET)}\r\n`)] as const,
    [
      401,
      send(port, `${head("POST", "/v1/traces", `localhost:${port}`, H2C)}content-length: 1000000\r\n\r\n{`),
    ] as const,
  ])
  for (const [status, client] of sent) expect(await statusOf(client)).toBe(status)
  await waitFor("the end of their connections", () => sent.every(([, { socket }]) => socket.closed))
})

test("a stop exits with code 0, whatever clients are connected", async () => {
  const free = await new RecordingServer().listen()
  const grpcPort = free.port
  await free.close()
  const app = await start({ PAGESPAN_GRPC: String(grpcPort) })
  const { port } = new URL(app.url)
  const host = `host: localhost:${port}\r\n`
  const idle = send(port, `GET /health HTTP/1.1\r\n${host}\r\n`)
  const upgraded = send(port, `${HMR}${host}${WEBSOCKET}\r\n`)
  const stream = send(port, `GET /live HTTP/1.1\r\n${host}\r\n`)
  expect(await Promise.all([idle, upgraded, stream].map(statusOf))).toEqual([200, 404, 200])
  const silent = send(port, "")
  const halfHead = send(port, `POST /v1/traces HTTP/1.1\r\n${host}x-half: `)
  const halfBody = send(
    port,
    `POST /v1/traces HTTP/1.1\r\n${host}content-type: application/json\r\ncontent-length: 9\r\n\r\n{`,
  )
  const silentGrpc = send(grpcPort, "")
  // They read nothing, not even the end of their connection.
  const deaf = [Number(port), grpcPort].map((each) => connect(each, "127.0.0.1"))
  for (const socket of deaf) {
    socket.on("error", () => undefined)
    onTestFinished(() => void socket.destroy())
  }
  const clients = [upgraded, stream, silent, halfHead, halfBody, silentGrpc]
  const calls = connectHttp2(`http://localhost:${grpcPort}`)
  onTestFinished(() => calls.destroy())
  const halfCall = calls.request({
    ":method": "POST",
    ":path": "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
    "content-type": "application/grpc",
    te: "trailers",
  })
  for (const part of [calls, halfCall]) part.on("error", () => undefined)
  halfCall.write(Buffer.from([0, 0, 0, 0, 9, 1]))
  await waitFor(
    "the sockets",
    () =>
      [...clients.map(({ socket }) => socket), ...deaf].every(({ readyState }) => readyState === "open") &&
      !calls.connecting,
  )
  expect(await app.stop("SIGTERM")).toEqual({ code: 0, signal: null })
  await waitFor("the end of their connections", () => clients.every(({ socket }) => socket.closed) && calls.destroyed)
})
