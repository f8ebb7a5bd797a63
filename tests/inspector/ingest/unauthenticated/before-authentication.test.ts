import { createServer, type RequestListener } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib"
import { expect, onTestFinished, test } from "vitest"
import { handlersFor, pathOf } from "#otel/cli/server/router.ts"
import type { Receiver } from "#otel/inspector/ingest/receiver.ts"
import { secret } from "#otel/protocol/secret.ts"
import { envelope, errorEvent, EVENT_ID, item, type Json } from "#tests/protocol/sentry/envelopes.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { startReceiver } from "#tests/inspector/ingest/receiver-under-test.ts"

/** What a client without the token may cost, on the real server: sockets in, bytes in memory and answers out. */

const TOKEN = "0123456789abcdef"
const MIB = 1024 * 1024
/** The largest chunk that Node reads from a socket. */
const CHUNK = 64 * 1024

async function start() {
  const started = await startReceiver({ token: secret(TOKEN) })
  const findHandler = handlersFor(started.receiver)
  const listener: RequestListener = (request, response) => findHandler(pathOf(request))?.(request, response)
  const server = createServer(listener)
  const sockets: Socket[] = []
  server.on("connection", (socket) => sockets.push(socket))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  /** Bytes that the server has read from all sockets. */
  const bytesRead = () => sockets.reduce((sum, socket) => sum + socket.bytesRead, 0)
  return { ...started, port, url: `http://127.0.0.1:${port}`, bytesRead }
}

interface Client {
  readonly socket: Socket
  readonly received: () => string
}

/** A socket that sends a request's head, then as much of the body as the server reads. */
function client(port: number, path: string, headers: readonly string[], body: Uint8Array): Client {
  const socket = connect(port, "127.0.0.1")
  onTestFinished(() => void socket.destroy())
  let received = ""
  socket.on("data", (chunk: Buffer) => (received += chunk.toString()))
  // The server ends some of these connections.
  socket.on("error", () => undefined)
  socket.write([`POST ${path} HTTP/1.1`, "host: localhost", ...headers, "", ""].join("\r\n"))
  socket.write(body)
  return { socket, received: () => received }
}

const statusOf = ({ received }: Client) => Number(/^HTTP\/1\.1 (\d{3}) /.exec(received())?.[1])

const ENVELOPE_PATH = "/api/1/envelope/"
const OTHER_PATHS = ["/v1/traces", "/v1/logs", "/v1/metrics", "/api/1/store/", "/api/1/integration/otlp/v1/traces"]
const JSON_TYPE = "content-type: application/json"

async function sendEnvelope(url: string, body: Uint8Array, headers: Record<string, string> = {}, query = "") {
  const sent = body as Uint8Array<ArrayBuffer>
  return fetch(`${url}${ENVELOPE_PATH}${query}`, { method: "POST", body: sent, headers })
}

/** An envelope whose key is in its header line. */
function keyed(key: string, ...items: readonly [Json, Json][]): Uint8Array {
  return envelope({ event_id: EVENT_ID, dsn: `http://${key}@localhost:4318/1` }, ...items)
}

test("three sockets without the token, each with most of a large body, do not shut out other senders", async () => {
  const { receiver, port, url } = await start()
  const body = Buffer.alloc(14 * MIB, "x")
  const clients = [ENVELOPE_PATH, ENVELOPE_PATH, "/stream"].map((path) =>
    client(port, path, [`content-length: ${15 * MIB}`], Buffer.concat([Buffer.from("{}\n"), body])),
  )
  await waitFor("the answers", () => clients.every((each) => statusOf(each) === 401))
  expect(receiver.bodies.reserved).toBe(0)
  const answer = await sendEnvelope(url, keyed(TOKEN, item("event", errorEvent())))
  expect(answer.status).toBe(200)
  await waitFor("the end of their connections", () => clients.every(({ socket }) => socket.closed))
  expect(receiver.drops.totals()).toStrictEqual({ unauthorized: 3 })
})

test("a hundred sockets that never end the header line leave room for clients that send their key with the request", async () => {
  const { receiver, port, url, bytesRead } = await start()
  const clients = Array.from({ length: 100 }, () =>
    client(port, ENVELOPE_PATH, [`content-length: ${15 * MIB}`], Buffer.from(`{"a":"${"x".repeat(8_000)}`)),
  )
  await waitFor("what they send", () => bytesRead() > clients.length * 8_000)
  expect(receiver.bodies.reserved).toBe(0)
  const large = envelope({}, item("attachment", "x".repeat(10 * MIB), { filename: "large" }))
  for (const [headers, query] of [
    [{}, `?sentry_key=${TOKEN}`],
    [{ "x-sentry-auth": `Sentry sentry_key=${TOKEN}` }, ""],
    [{ authorization: `Bearer ${TOKEN}` }, ""],
  ] as const)
    expect((await sendEnvelope(url, large, headers, query)).status).toBe(200)
})

test.each([ENVELOPE_PATH, ...OTHER_PATHS])(
  "a body for %s without a key is refused at its head, and read no further than one megabyte",
  async (path) => {
    const { receiver, port, bytesRead } = await start()
    const body = Buffer.alloc(200 * MIB, "{}\n")
    const sender = client(port, path, ["transfer-encoding: chunked", JSON_TYPE], chunked(body))
    await waitFor("the answer", () => statusOf(sender) === 401)
    await waitFor("the end of the connection", () => sender.socket.closed)
    // What Node reads before and after it pauses a socket is a few chunks.
    expect(bytesRead()).toBeLessThan(MIB + 8 * CHUNK)
    expect(receiver.bodies.reserved).toBe(0)
  },
)

function chunked(body: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from("\r\n0\r\n\r\n")])
}

test.each<[string, readonly string[], number, string?]>([
  ["a declared length past the limit", [`content-length: ${21 * MIB}`], 413],
  ["an unknown encoding", ["content-length: 10", "content-encoding: lzma"], 415],
  ["a foreign host", ["content-length: 10", "host: evil.example"], 421],
  ["a foreign origin", ["content-length: 10", "origin: https://evil.example"], 403],
  ["no key in what is a single event", ["content-length: 10"], 401, "/api/1/store/"],
])("%s is refused before a byte of the body has arrived", async (_name, headers, status, path = ENVELOPE_PATH) => {
  const { port } = await start()
  const sender = client(port, path, headers, Buffer.alloc(0))
  await waitFor("the answer", () => statusOf(sender) === status)
})

test("for an envelope without a key in the request only the header line decides, whatever follows", async () => {
  const { receiver, sink, url } = await start()
  const items = [item("event", errorEvent())]
  const right = keyed(TOKEN, ...items)
  const wrong = keyed("f".repeat(16), ...items)
  const gzip = { "content-encoding": "gzip" }
  expect((await sendEnvelope(url, right)).status).toBe(200)
  expect((await sendEnvelope(url, gzipSync(right), gzip)).status).toBe(200)
  expect((await sendEnvelope(url, keyed(TOKEN).subarray(0, -1))).status).toBe(200)
  expect((await sendEnvelope(url, wrong)).status).toBe(401)
  expect((await sendEnvelope(url, gzipSync(wrong), gzip)).status).toBe(401)
  expect((await sendEnvelope(url, Buffer.from("no gzip"), gzip)).status).toBe(401)
  expect((await sendEnvelope(url, Buffer.alloc(0))).status).toBe(401)
  await receiver.close()
  expect(sink.errors).toHaveLength(2)
})

test("a header line is read compressed by gzip and deflate, and by nothing that inflates megabytes for its first byte", async () => {
  const { url } = await start()
  const body = keyed(TOKEN, item("event", errorEvent()))
  const statusIn = async (coding: string, bytes: Uint8Array, query = "") =>
    (await sendEnvelope(url, bytes, { "content-encoding": coding }, query)).status
  expect(await statusIn("gzip", gzipSync(body))).toBe(200)
  expect(await statusIn("DEFLATE", deflateSync(body))).toBe(200)
  expect(await statusIn("br", brotliCompressSync(body))).toBe(401)
  expect(await statusIn("br", brotliCompressSync(body), `?sentry_key=${TOKEN}`)).toBe(200)
})

test("a compressed header line that arrives one byte at a time is read like any other", async () => {
  const { port } = await start()
  const body = gzipSync(keyed(TOKEN, item("event", errorEvent())))
  const slow = client(
    port,
    ENVELOPE_PATH,
    [`content-length: ${body.length}`, "content-encoding: gzip"],
    Buffer.alloc(0),
  )
  slow.socket.setNoDelay(true)
  for (const byte of body) await new Promise<void>((sent) => slow.socket.write(Buffer.of(byte), () => sent()))
  await waitFor("the answer", () => statusOf(slow) === 200)
})

test("a bomb without a key is inflated by at most one chunk", async () => {
  const { receiver, url } = await start()
  const bomb = gzipSync(Buffer.alloc(19 * MIB, "x"))
  const before = process.memoryUsage().arrayBuffers
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => sendEnvelope(url, bomb, { "content-encoding": "gzip" })),
  )
  expect(answers.map(({ status }) => status)).toStrictEqual(answers.map(() => 401))
  expect(receiver.bodies.reserved).toBe(0)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20 * (CHUNK + bomb.length) + 4 * MIB)
})

test("a header line past 16 KiB is refused as unauthorized, and one below it is read", async () => {
  const { url } = await start()
  const withTrace = (bytes: number) =>
    envelope({ trace: { filler: "x".repeat(bytes) }, dsn: `http://${TOKEN}@localhost:4318/1` })
  expect((await sendEnvelope(url, withTrace(15_000))).status).toBe(200)
  expect((await sendEnvelope(url, withTrace(17_000))).status).toBe(401)
})

test("an unauthenticated envelope is neither buffered nor decoded, and counts as one refusal", async () => {
  const { receiver, url } = await start()
  const spans = Array.from({ length: 500 }, () => item("event", errorEvent()))
  expect((await sendEnvelope(url, keyed("wrong0wrong0wrong0", ...spans))).status).toBe(401)
  expect(dropsOf(receiver)).toStrictEqual({ unauthorized: 1 })
})

function dropsOf(receiver: Receiver) {
  return receiver.drops.totals()
}
