import { connect as connectHttp2, constants } from "node:http2"
import { connect, type Socket } from "node:net"
import { gzipSync } from "node:zlib"
import { Client, credentials, Metadata } from "@grpc/grpc-js"
import { describe, expect, onTestFinished, test } from "vitest"
import { openGrpc } from "#otel/inspector/ingest/grpc/grpc-server.ts"
import { secret } from "#otel/protocol/secret.ts"
import type { Random } from "#tests/protocol/otlp/random.ts"
import { encodeProtobuf, request, span } from "#tests/protocol/otlp/requests.ts"
import { fuzz, FUZZ_LIMIT_MS, FUZZ_SEED, replay } from "#tests/support/fuzz.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { mutate } from "#tests/inspector/ingest/mutate.ts"
import { startReceiver } from "#tests/inspector/ingest/receiver-under-test.ts"

const TOKEN = "0123456789abcdef"
const MIB = 1024 * 1024
const PATH = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"

const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
const TYPE = { data: 0, headers: 1, priority: 2, reset: 3, settings: 4, ping: 6, goaway: 7, window: 8, continuation: 9 }

function frame(type: number, flags: number, stream: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** Fields without Huffman coding and without the table: a byte for the length of each text. */
function fields(entries: readonly (readonly [string, string])[]): Buffer {
  const text = (value: string) => Buffer.concat([Buffer.of(value.length), Buffer.from(value)])
  return Buffer.concat(entries.flatMap(([name, value]) => [Buffer.of(0), text(name), text(value)]))
}

const SETTINGS = frame(TYPE.settings, 0, 0)
const OPEN = Buffer.concat([PREFACE, SETTINGS])
const FIELDS = [
  [":method", "POST"],
  [":scheme", "http"],
  [":path", PATH],
  [":authority", "localhost"],
  ["content-type", "application/grpc"],
  ["te", "trailers"],
] as const
const CALL = fields(FIELDS)
/** Of a sender that has the token, so that its message is read. */
const KNOWN_CALL = fields([...FIELDS, ["authorization", `Bearer ${TOKEN}`]])
const GZIP_CALL = fields([...FIELDS, ["authorization", `Bearer ${TOKEN}`], ["grpc-encoding", "gzip"]])
const ACK = 1
const END_STREAM = 1
const END_HEADERS = 4
const headers = (stream: number, block = CALL) => frame(TYPE.headers, END_HEADERS, stream, block)
const times = (count: number, make: (index: number) => Buffer) =>
  Buffer.concat(Array.from({ length: count }, (_, index) => make(index)))

async function start(messageMs = 2_000) {
  const started = await startReceiver({ token: secret(TOKEN) })
  const { port, close } = await openGrpc(started.receiver, "127.0.0.1", 0, { messageMs, idleMs: 2_000 })
  onTestFinished(() => close())
  const body = Buffer.from(encodeProtobuf(request(span())))
  /** Whether a known sender is served, on a connection of its own. */
  const isServed = () => {
    const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
      "grpc.use_local_subchannel_pool": 1,
    })
    const metadata = new Metadata()
    metadata.set("authorization", `Bearer ${TOKEN}`)
    const same = (bytes: Buffer) => bytes
    return new Promise<boolean>((resolve) =>
      client.makeUnaryRequest(PATH, same, same, body, metadata, (error) => {
        client.close()
        resolve(error === null)
      }),
    )
  }
  return { ...started, port, isServed }
}

function send(port: number, bytes: Uint8Array, reads = true): Socket {
  const socket = connect(port, "127.0.0.1")
  onTestFinished(() => void socket.destroy())
  // The server ends most of these connections.
  socket.on("error", () => undefined)
  if (reads) socket.resume()
  socket.write(bytes)
  return socket
}

/** Floods that have stopped servers of HTTP/2. */
const FLOODS: readonly (readonly [name: string, bytes: () => Buffer])[] = [
  ["pings", () => times(50_000, () => frame(TYPE.ping, 0, 0, Buffer.alloc(8)))],
  ["settings", () => times(50_000, () => SETTINGS)],
  ["settings of the largest size", () => times(200, () => frame(TYPE.settings, 0, 0, Buffer.alloc(16_380, 1)))],
  [
    "calls that are reset at once",
    () =>
      times(10_000, (index) =>
        Buffer.concat([headers(2 * index + 1), frame(TYPE.reset, 0, 2 * index + 1, Buffer.of(0, 0, 0, 8))]),
      ),
  ],
  [
    "continuations without an end",
    () =>
      Buffer.concat([
        frame(TYPE.headers, 0, 1, CALL),
        times(2_000, () => frame(TYPE.continuation, 0, 1, fields([["x", "y".repeat(100)]]))),
      ]),
  ],
  [
    "empty continuations",
    () => Buffer.concat([frame(TYPE.headers, 0, 1, CALL), times(50_000, () => frame(TYPE.continuation, 0, 1))]),
  ],
  ["empty data", () => Buffer.concat([headers(1), times(50_000, () => frame(TYPE.data, 0, 1))])],
  ["priorities", () => times(50_000, (index) => frame(TYPE.priority, 0, 2 * index + 1, Buffer.of(0, 0, 0, 0, 1)))],
  ["window updates", () => times(50_000, () => frame(TYPE.window, 0, 0, Buffer.of(0, 0, 0, 1)))],
  ["a window beyond its limit", () => times(3, () => frame(TYPE.window, 0, 0, Buffer.of(0x7f, 0xff, 0xff, 0xff)))],
  ["more calls than allowed", () => times(5_000, (index) => headers(2 * index + 1))],
  [
    "data on streams that are not open",
    () => times(5_000, (index) => frame(TYPE.data, 0, 2 * index + 1, Buffer.alloc(16))),
  ],
  [
    "a field that grows the table",
    () =>
      times(500, (index) =>
        frame(
          TYPE.headers,
          END_HEADERS,
          2 * index + 1,
          Buffer.concat([Buffer.of(0x40, 1, 0x78, 0x7f, 0x81, 0x1f), Buffer.alloc(4_096, "y"), CALL]),
        ),
      ),
  ],
  [
    "frames of unknown types",
    () => times(20_000, (index) => frame(0x20 + (index % 64), 0xff, index, Buffer.alloc(16))),
  ],
]

describe("a flood of", () => {
  test.each(FLOODS)("%s costs a bounded amount of memory, ends, and others are served", async (_name, bytes) => {
    // As long as by default: server, floods and the known sender are one process here, which a flood occupies for seconds.
    const { receiver, port, isServed } = await start(10_000)
    const flood = Buffer.concat([OPEN, bytes()])
    const before = process.memoryUsage().rss
    const sockets = [send(port, flood), send(port, flood, false)]
    expect(await isServed()).toBe(true)
    await waitFor("the end of the flood", () =>
      sockets.every(({ writableLength, closed }) => closed || writableLength === 0),
    )
    sockets.forEach((socket) => socket.resume())
    await waitFor("the end of their connections", () => sockets.every(({ closed }) => closed))
    expect(await isServed()).toBe(true)
    expect(process.memoryUsage().rss - before).toBeLessThan(128 * MIB)
    expect(receiver.bodies.reserved).toBe(0)
  })

  test("calls of a client that follows the protocol, each reset at once, leaves no open call", async () => {
    const { port, isServed } = await start()
    const session = connectHttp2(`http://127.0.0.1:${port}`)
    session.on("error", () => undefined)
    onTestFinished(() => session.destroy())
    for (let count = 0; count < 2_000 && !session.destroyed; count += 1) {
      const stream = session.request({
        ":method": "POST",
        ":path": PATH,
        "content-type": "application/grpc",
        te: "trailers",
      })
      stream.on("error", () => undefined)
      stream.close(constants.NGHTTP2_CANCEL)
      if (count % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    }
    expect(await isServed()).toBe(true)
  })
})

test("a refused message, which grpc-go no longer counts as a call, costs none of 32 calls that follow at once", async () => {
  const { receiver, sink, port } = await start()
  const socket = send(port, OPEN)
  await waitFor("the server's settings", () => socket.bytesRead > 0)
  const message = Buffer.concat([Buffer.of(0, 0, 0, 0, MESSAGE.length), MESSAGE])
  const tooLarge = Buffer.concat([headers(1, KNOWN_CALL), frame(TYPE.data, 0, 1, Buffer.of(0, 0, 0x50, 0, 0))])
  const calls = times(32, (index) =>
    Buffer.concat([headers(2 * index + 3, KNOWN_CALL), frame(TYPE.data, END_STREAM, 2 * index + 3, message)]),
  )
  socket.write(Buffer.concat([frame(TYPE.settings, ACK, 0), tooLarge, calls]))
  await waitFor("the spans of the calls", () => sink.spans.length === 32)
  expect(receiver.drops.totals()).toStrictEqual({ malformed: 1 })
})

/** A client that sends bytes, may not read, and may leave before the server answers. */
interface Sender {
  readonly bytes: Uint8Array
  readonly reads: boolean
  readonly leaves: boolean
}

/** Sockets that are open at once, of which each input consists. */
const AT_ONCE = 100
/** Spans that the sink holds before it is cleared. */
const MOST_STORED = 10_000

const MESSAGE = Buffer.from(encodeProtobuf(request(span())))

/** A call with a message, whole or broken: its flag of compression, its length, its bytes, and the frames that they come in. */
function callWithMessage(random: Random, stream: number): Buffer {
  const isGzip = random.chance(0.4)
  const body = isGzip ? gzipSync(MESSAGE) : MESSAGE
  const sent = Buffer.from(random.chance(0.5) ? body : mutate(random, body, MESSAGE))
  const prefix = Buffer.alloc(5)
  prefix.writeUInt8(random.chance(0.9) ? Number(isGzip) : random.below(256), 0)
  const isLengthRight = random.chance(0.8)
  prefix.writeUInt32BE(isLengthRight ? sent.length : random.pick([0, 1, sent.length + 1, 4 * MIB + 1, 2 ** 32 - 1]), 1)
  const message = Buffer.concat([
    prefix,
    sent,
    ...random.list(1, () => (random.chance(0.1) ? prefix : Buffer.alloc(0))),
  ])
  const cut = random.below(message.length + 1)
  const end = random.chance(0.9) ? END_STREAM : 0
  return Buffer.concat([
    headers(stream, isGzip && random.chance(0.9) ? GZIP_CALL : KNOWN_CALL),
    frame(TYPE.data, 0, stream, message.subarray(0, cut)),
    frame(TYPE.data, end, stream, message.subarray(cut)),
  ])
}

function sender(random: Random): Sender {
  const anyFrame = () =>
    random.chance(0.4)
      ? headers(random.pick([1, 3, 5, 0, 2]), random.pick([CALL, CALL, KNOWN_CALL]))
      : frame(
          random.below(12),
          random.below(256),
          random.pick([0, 1, 1, 3, 2 ** 31 - 1]),
          Buffer.from(random.hex(random.below(40)), "hex"),
        )
  const calls = () => Array.from({ length: 1 + random.below(3) }, (_, call) => callWithMessage(random, 2 * call + 1))
  const parts = random.chance(0.5) ? calls() : random.list(20, anyFrame)
  const bytes = Buffer.concat([random.chance(0.9) ? OPEN : PREFACE, ...parts])
  return {
    bytes: random.chance(0.6) ? bytes : mutate(random, bytes, CALL),
    reads: random.chance(0.9),
    leaves: random.chance(0.5),
  }
}

async function runSenders(
  { receiver, sink, port, isServed }: Awaited<ReturnType<typeof start>>,
  senders: readonly Sender[],
) {
  const before = sink.spans.length
  const clients = senders.map(({ bytes, reads, leaves }) => ({ leaves, socket: send(port, bytes, reads) }))
  if (!(await isServed())) throw new Error("another client is not served")
  const outcomes = clients.map(({ socket }) => (socket.bytesRead > 0 ? "answered" : "not answered"))
  for (const { socket, leaves } of clients) if (leaves) socket.destroy()
  await waitFor("the end of their connections", () => clients.every(({ socket }) => socket.resume().closed))
  if (receiver.bodies.reserved > 0) throw new Error("memory of a body is left")
  // One is that of `isServed`.
  const stored = sink.spans.length - before - 1
  if (sink.spans.length > MOST_STORED) sink.clear()
  return [...outcomes, ...Array.from({ length: Math.max(0, stored) }, () => "stored")]
}

test("connections that a fuzzer found leave no connection and no memory, and others are served", async () => {
  const server = await start()
  const count = await replay<readonly Sender[]>({ name: "grpc-frames", run: (senders) => runSenders(server, senders) })
  expect(count).toBeGreaterThan(0)
})

test(
  `broken frames (seed ${FUZZ_SEED}) leave no connection and no memory, and others are served`,
  async () => {
    const server = await start()
    const { inputs, outcomes } = await fuzz<readonly Sender[]>({
      name: "grpc-frames",
      leastInputs: 2,
      generate: (random) => Array.from({ length: AT_ONCE }, () => sender(random)),
      run: (senders) => runSenders(server, senders),
    })
    expect(outcomes.get("answered")).toBeGreaterThan(0)
    // Of a hundred connections some thirty have a call that can be read.
    expect(outcomes.get("stored")).toBeGreaterThan(5 * inputs)
    expect(server.receiver.drops.totals()).toMatchObject({
      malformed: expect.any(Number),
      unauthorized: expect.any(Number),
    })
  },
  FUZZ_LIMIT_MS,
)
