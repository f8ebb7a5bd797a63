import { spawn } from "node:child_process"
import { once } from "node:events"
import { connect as connectHttp2 } from "node:http2"
import { connect } from "node:net"
import { gzipSync } from "node:zlib"
import { buildPackage } from "#otel/cli/package/build.ts"
import { freePort } from "#tests/support/free-port.ts"
import { RunningApp } from "#tests/support/running-app.ts"
import { threadMilliseconds } from "./ingest/process-figures.ts"

/**
 * Measures what a client without the token costs an inspector: CPU of its process for one request at each entry point, with
 * the most expensive body that is known, beside a bare server of Node that refuses the same requests. `SECURITY.md` has the
 * figures.
 *
 *     npm run bench:refusals
 */

const REQUESTS = 150
/** Guesses that all addresses together have before they are slowed. */
const GUESSES = 50
const WARM_UP = 100
const MIB = 2 ** 20

/** A body of which the server reads what it discards after a refusal. */
const BODY = Buffer.alloc(MIB, "{}\n")
/** Inflates to more than the longest header line of an envelope. */
const HEADER_LINE = gzipSync(`{"filler":"${Array.from({ length: 4_000 }, (_, index) => index.toString(36)).join("")}`)
const FORM = Buffer.from(`token=${"x".repeat(4_090)}`)

interface Entry {
  readonly name: string
  readonly head: string
  readonly body?: Buffer
  /** Each request comes from another address of the loopback network. */
  readonly isGuess?: true
}

const post = (path: string, headers: string, body: Buffer) => ({
  head: `POST ${path} HTTP/1.1\r\nhost: localhost\r\n${headers}content-length: ${body.length}\r\n\r\n`,
  body,
})
const get = (path: string, headers = "") => ({ head: `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${headers}\r\n` })

const ENTRIES: readonly Entry[] = [
  { name: "OTLP over HTTP", ...post("/v1/traces", "content-type: application/json\r\n", BODY) },
  { name: "envelope with a key in the query", ...post("/api/1/envelope/?sentry_key=wrong", "", BODY) },
  { name: "envelope without one", ...post("/api/1/envelope/", "content-encoding: gzip\r\n", HEADER_LINE) },
  { name: "POST /api/{project}/store/", ...post("/api/1/store/", "", BODY) },
  {
    name: "POST /sign-in",
    ...post("/sign-in", "content-type: application/x-www-form-urlencoded\r\n", FORM),
    isGuess: true,
  },
  { name: "read API", ...get("/api/traces?q=status:error") },
  { name: "GET /live", ...get("/live") },
  { name: "POST /mcp", ...post("/mcp", "content-type: application/json\r\n", BODY) },
  { name: "screen", ...get("/traces", "accept: text/html\r\n") },
  {
    name: "screen, User-Agent of 14 KB",
    ...get("/traces", `accept: text/html\r\nuser-agent: ${"0".repeat(14_000)}\r\n`),
  },
  { name: "GET /health", ...get("/health") },
]

/** Refuses every request and reads no body. */
const BARE_SERVER = `const server = require("node:http").createServer((_, response) => {
  response.writeHead(401, { connection: "close" })
  response.end("Unauthorized")
}).listen(0, "127.0.0.1", () => console.log(server.address().port))`

await buildPackage(process.cwd())
const grpcPort = await freePort()
const app = await RunningApp.start({
  PAGESPAN_SELF: "off",
  PAGESPAN_TOKEN: "0123456789abcdef",
  PAGESPAN_GRPC: String(grpcPort),
})
const peer = spawn(process.execPath, ["-e", BARE_SERVER], { stdio: ["ignore", "pipe", "inherit"] })
try {
  const [line] = (await once(peer.stdout, "data")) as [Buffer]
  const ours = { pid: app.pid, port: Number(new URL(app.url).port) }
  const theirs = { pid: peer.pid ?? 0, port: Number(line) }
  const table: Record<string, object> = {}
  for (const entry of ENTRIES) {
    const inspector = await costOf(ours, entry)
    const bare = await costOf(theirs, entry)
    table[entry.name] = { "ms of CPU": round(inspector), "bare server": round(bare), ratio: round(inspector / bare) }
  }
  table["OTLP over gRPC"] = { "ms of CPU": round(await measure(app.pid, REQUESTS, () => grpcCall(grpcPort))) }
  console.table(table)
} finally {
  peer.kill()
  await app.stop()
}

interface Server {
  readonly pid: number
  readonly port: number
}

function costOf({ pid, port }: Server, entry: Entry): Promise<number> {
  return measure(pid, entry.isGuess ? GUESSES : REQUESTS, (number) => request(port, entry, number))
}

/** Milliseconds of CPU of one of the requests, which run one after the other. */
async function measure(pid: number, count: number, send: (number: number) => Promise<void>): Promise<number> {
  for (let number = 0; number < Math.min(WARM_UP, count / 3); number += 1) await send(number)
  const before = threadMilliseconds(pid)
  for (let number = 0; number < count; number += 1) await send(number)
  return (threadMilliseconds(pid) - before) / count
}

/** Sends a request on a connection of its own, until the response has come. */
function request(port: number, { head, body, isGuess }: Entry, number: number): Promise<void> {
  const localAddress = isGuess ? `127.0.${1 + (number >> 8)}.${number & 255}` : "127.0.0.1"
  const socket = connect({ port, host: "127.0.0.1", localAddress })
  return new Promise((resolve, reject) => {
    socket.once("data", (answer: Buffer) => {
      if (!/^HTTP\/1\.1 (?:200|303|401|429)/.test(answer.toString("latin1"))) reject(new Error(answer.toString()))
      socket.destroy()
    })
    socket.on("error", () => undefined)
    socket.once("close", () => resolve())
    socket.write(head)
    if (body !== undefined) socket.write(body)
  })
}

/** Opens a connection and a call, and waits for the refusal. */
async function grpcCall(port: number): Promise<void> {
  const session = connectHttp2(`http://127.0.0.1:${port}`)
  session.on("error", () => undefined)
  const stream = session.request({
    ":method": "POST",
    ":path": "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
    "content-type": "application/grpc",
    te: "trailers",
  })
  stream.on("error", () => undefined)
  stream.write(Buffer.alloc(1_024))
  await once(stream, "response")
  session.destroy()
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
