import { channel } from "node:diagnostics_channel"
import { createServer } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { gzipSync } from "node:zlib"
import { expect, onTestFinished, test } from "vitest"
import { processState } from "#otel/sdk/process-state.ts"
import { tunnelHandler } from "#otel/sdk/tunnel/tunnel.ts"
import { mutate } from "#tests/inspector/ingest/mutate.ts"
import { generatedRequest } from "#tests/protocol/otlp/generated-requests.ts"
import type { Random } from "#tests/protocol/otlp/random.ts"
import { encodeJson } from "#tests/protocol/otlp/requests.ts"
import { envelope, errorEvent, item, transaction } from "#tests/protocol/sentry/envelopes.ts"
import { fuzz, FUZZ_LIMIT_MS, FUZZ_SEED, replay } from "#tests/support/fuzz.ts"
import { hostileDsns } from "./hostile-dsns.ts"
import { tunnelRuntime } from "./tunnel-runtime.ts"

interface TunnelRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  /** Before compression. Names `DSN`. */
  readonly body: Uint8Array
  readonly isCompressed: boolean
  /** What Sentry and the collector answer. */
  readonly upstream: number
}

/** Stands for the configured DSN, whose port each run of the tests chooses. */
const DSN = "http://publickey@127.0.0.1:9/42"
const HOSTILE = hostileDsns(DSN)
const TYPES = [
  "text/plain;charset=UTF-8",
  "application/json",
  "application/json; charset=utf-8",
  "application/x-sentry-envelope",
  "application/vnd.pagespan.settings+json",
  "multipart/form-data",
]
const ORIGINS = ["http://shop.example", "http://shop.example", "null", "http://evil.example", "file://"]
const DROPS = ["", "k3x9v0qa:noisy_error/error=2,queue_overflow/span=40", "a:b/c=1", "a:;b:", "x".repeat(5_000), "a:b"]

function generated(random: Random): TunnelRequest {
  const envelopeBytes = () =>
    envelope(
      { ...(random.chance(0.8) && { dsn: random.chance(0.9) ? DSN : random.pick(HOSTILE) }), sent_at: "x" },
      ...random.list(4, () =>
        random.pick([
          item("event", errorEvent()),
          item("transaction", transaction()),
          item("client_report", { discarded_events: [{ reason: "sample_rate", category: "span", quantity: 1e9 }] }),
          item("attachment", "raw", { length: 3 }),
        ]),
      ),
    )
  const isSpans = random.chance(0.4)
  const make = () => (isSpans ? encodeJson(generatedRequest(random)) : envelopeBytes())
  const isCompressed = random.chance(0.3)
  const body = random.chance(0.5) ? make() : mutate(random, make(), make())
  const encoding = isCompressed ? "gzip" : "identity"
  return {
    method: random.chance(0.97) ? "POST" : random.pick(["GET", "PUT", "DELETE", "OPTIONS"]),
    headers: {
      host: "shop.example",
      "content-type": random.chance(0.9) ? TYPES[isSpans ? 1 : 0]! : random.pick(TYPES),
      "content-encoding": random.chance(0.97)
        ? encoding
        : random.pick(["gzip", "br", "deflate", "gzip, gzip", "x", ""]),
      ...(random.chance(0.2) && { origin: random.pick(ORIGINS) }),
      ...(random.chance(0.2) && { "x-forwarded-for": `${random.below(256)}.0.0.1, ${random.hex(8)}, ::1` }),
      ...(random.chance(0.2) && { "pagespan-drops": random.pick(DROPS) }),
      ...(random.chance(0.1) && { "pagespan-retry": "1" }),
      ...(random.chance(0.1) && { cookie: "sid=hunter2hunter2", authorization: "Bearer hunter2hunter2" }),
    },
    body,
    isCompressed,
    // A collector that is busy gets the same spans again later, for which the tunnel would wait.
    upstream: random.chance(0.8) ? 200 : random.pick([204, 302, 400, 413, 500, ...(isSpans ? [] : [429, 503])]),
  }
}

/** What reached Sentry or the collector. */
interface Arrived {
  readonly path: string
  readonly head: string
  readonly body: Buffer
}

async function start() {
  const arrived: Arrived[] = []
  const answer = { status: 200 }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    arrived.push({ path: request.url ?? "", head: request.rawHeaders.join("\n"), body: Buffer.concat(chunks) })
    response.writeHead(answer.status, { location: "http://169.254.169.254/", "retry-after": "1" }).end("{}")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const strays: string[] = []
  const opened = channel("net.client.socket")
  const watch = (message: unknown) => {
    const { socket } = message as { socket: Socket }
    socket.once("lookup", (_error, _address, _family, host) => strays.push(host))
    socket.once("connect", () => socket.remotePort !== port && strays.push(`port ${socket.remotePort}`))
  }
  opened.subscribe(watch)
  onTestFinished(() => void opened.unsubscribe(watch))
  const runtime = tunnelRuntime({
    SENTRY_DSN: DSN.replace(":9/", `:${port}/`),
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
  })
  return { ...runtime, arrived, answer, strays, port }
}

/** Rejects if the request reaches another place, changes on its way, takes another identity or fails. */
async function send(tunnel: Awaited<ReturnType<typeof start>>, sent: TunnelRequest): Promise<readonly number[]> {
  const { arrived, answer, strays, spans, port, records } = tunnel
  const { method, headers, isCompressed, upstream } = sent
  answer.status = upstream
  const text = Buffer.from(sent.body)
    .toString("latin1")
    .replaceAll(DSN, DSN.replace(":9/", `:${port}/`))
  const plain = Buffer.from(text, "latin1")
  const body = isCompressed ? gzipSync(plain) : plain
  const request = new Request("http://shop.example/monitoring", { method, headers, ...(method !== "GET" && { body }) })
  const { status, headers: answered } = await tunnelHandler(request)
  const allowed = [200, 204, 400, 403, 404, 405, 413, 415, 429, 502, 503, upstream]
  if (!allowed.includes(status)) throw new Error(`answered ${status}`)
  if (answered.has("location")) throw new Error("the answer redirects")
  if (strays.length > 0) throw new Error(`a connection to ${strays.splice(0).join(", ")}`)
  for (const one of arrived.splice(0)) {
    const isEnvelope = one.path.startsWith("/api/42/envelope/?")
    if (!isEnvelope && one.path !== "/v1/traces") throw new Error(`a request to ${one.path}`)
    if (/hunter2|shop\.example|forwarded/i.test(one.head)) throw new Error("a header of the page reached an upstream")
    if (isEnvelope && !one.body.equals(body)) throw new Error("the envelope has changed")
  }
  for (const { kind, resource } of spans.splice(0)) {
    if (kind !== "client" && kind !== "internal") throw new Error(`a span of kind ${kind}`)
    if (resource.attributes.get("service.name") !== "shop-browser") throw new Error("a span of another service")
    if (resource.attributes.get("pagespan.sender") !== "page") throw new Error("a span of another sender")
  }
  ;(records() as unknown[]).length = 0
  // What one visitor may send is used up soon, and an upstream that fails is paused.
  if (status === 429 || status >= 500) processState("tunnel").value = undefined
  return [status]
}

test("requests to the tunnel that a fuzzer found are refused, or delivered as they came to the configured places", async () => {
  const tunnel = await start()
  const count = await replay<TunnelRequest>({ name: "tunnel", run: (request) => send(tunnel, request) })
  expect(count).toBeGreaterThan(0)
})

test(
  `broken requests to the tunnel (seed ${FUZZ_SEED}) are refused, or delivered as they came to the configured places`,
  async () => {
    const tunnel = await start()
    const { inputs, outcomes } = await fuzz<TunnelRequest>({
      name: "tunnel",
      leastInputs: 1_000,
      generate: generated,
      run: (request) => send(tunnel, request),
    })
    for (const status of [204, 400, 403]) expect(outcomes.get(status)).toBeGreaterThan(inputs / 100)
  },
  FUZZ_LIMIT_MS,
)
