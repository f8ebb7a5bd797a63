import { randomBytes } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { processState } from "#otel/sdk/process-state.ts"
import { type Budgets, CLIENT_OPEN_LIMIT, CLIENT_RATES } from "#otel/sdk/tunnel/budgets.ts"
import { tunnelHandler } from "#otel/sdk/tunnel/tunnel.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { recordingSentry } from "./sentry-upstream.ts"
import { envelopeText, tunnelRuntime } from "./tunnel-runtime.ts"

/** What one visitor can cost the server and other visitors, by requests to the tunnel's handler. */

const EVENT: [string, object] = ["event", { message: "boom" }]
const MIB = 1024 * 1024
const [ATTACKER, VISITOR] = ["203.0.113.66", "198.51.100.7"]

function postFrom(client: string, body: BodyInit, headers: Record<string, string> = {}): Promise<Response> {
  return tunnelHandler(
    new Request("http://shop.example/monitoring", {
      method: "POST",
      body,
      headers: { host: "shop.example", "content-type": "text/plain", "x-forwarded-for": client, ...headers },
      duplex: "half",
    } as RequestInit),
  )
}

function reservedBytes(): number | undefined {
  return processState<{ budgets: Budgets }>("tunnel").value?.budgets.reserved
}

/** A clock that stands still, so that no budget recovers during a test. */
function stoppedClock(): void {
  vi.spyOn(performance, "now").mockReturnValue(0)
  onTestFinished(() => void vi.restoreAllMocks())
}

/** An ingest endpoint that records envelopes as they came, and answers when the test lets it; others at once. */
async function heldSentry() {
  const requests: { headers: IncomingMessage["headers"]; body: Buffer; answer: () => void }[] = []
  const server = createServer((request, response: ServerResponse) => {
    if (request.method !== "POST") return void response.writeHead(405).end()
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () =>
      requests.push({ headers: request.headers, body: Buffer.concat(chunks), answer: () => void response.end("{}") }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { dsn: `http://publickey@127.0.0.1:${(server.address() as AddressInfo).port}/42`, requests }
}

/** An envelope of exactly so many bytes. */
function envelopeOf(bytes: number): string {
  const empty = envelopeText({}, ["event", { message: "" }])
  return envelopeText({}, ["event", { message: "x".repeat(bytes - empty.length) }])
}

describe("a visitor past a budget", () => {
  test("of requests gets 429 with a time, counted, and another visitor's event reaches Sentry", async () => {
    stoppedClock()
    const sentry = await recordingSentry()
    const { drops, records } = tunnelRuntime({ SENTRY_DSN: sentry.dsn })
    const settings = { "content-type": "application/vnd.pagespan.settings+json" }
    for (let count = 0; count < CLIENT_RATES.requests * 10; count++)
      expect((await postFrom(ATTACKER, "", settings)).status).toBe(200)
    const refused = await postFrom(ATTACKER, envelopeText({}, EVENT))
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"])
    expect(drops()).toEqual(["tunnel rate_limited/default=1"])
    expect(records()[0]?.sample).toContain("requests of one client")
    expect((await postFrom(ATTACKER, "", settings)).status).toBe(429)
    expect(sentry.errors()).toEqual([])
    expect((await postFrom(VISITOR, envelopeText({}, EVENT))).status).toBe(204)
    expect(sentry.errors()).toHaveLength(1)
  })

  test("of bytes gets 429, by what its bodies inflate to", async () => {
    stoppedClock()
    const sentry = await recordingSentry()
    const { records } = tunnelRuntime({ SENTRY_DSN: sentry.dsn })
    const bomb = gzipSync(envelopeOf(MIB))
    let sent = 0
    while ((await postFrom(ATTACKER, bomb, { "content-encoding": "gzip" })).status === 204) sent += 1
    expect(sent).toBe(Math.ceil((CLIENT_RATES.bytes * 10) / (MIB + bomb.length)))
    expect(records()[0]?.sample).toContain("bytes of one client")
    expect((await postFrom(VISITOR, envelopeText({}, EVENT))).status).toBe(204)
  })

  test("of CPU gets 429, by the work that its spans made", async () => {
    const time = { now: 0 }
    vi.spyOn(performance, "now").mockImplementation(() => (time.now += 60))
    vi.spyOn(process, "cpuUsage").mockImplementation(() => ({ user: time.now * 1_000, system: 0 }))
    onTestFinished(() => void vi.restoreAllMocks())
    const { records } = tunnelRuntime({})
    const json = { "content-type": "application/json" }
    let sent = 0
    // Each reading of the clock is 60 ms of work.
    while (sent < 1_000 && (await postFrom(ATTACKER, '{"resourceSpans":[]}', json)).status === 204) sent += 1
    expect(sent).toBeGreaterThan(1)
    expect(sent).toBeLessThan(30)
    expect(records().at(-1)?.sample).toContain("CPU time of one client")
    expect((await postFrom(VISITOR, '{"resourceSpans":[]}', json)).status).toBe(204)
  })

  test("of memory gets 429, whatever its bodies wait for", async () => {
    const { dsn, requests } = await heldSentry()
    tunnelRuntime({ SENTRY_DSN: dsn })
    // However slow this machine is, no request times out.
    vi.spyOn(AbortSignal, "timeout").mockReturnValue(new AbortController().signal)
    onTestFinished(() => void vi.restoreAllMocks())
    const responses = Array.from({ length: 9 }, () => postFrom(ATTACKER, envelopeOf(MIB)))
    await waitFor("eight requests", () => requests.length === 8)
    expect(reservedBytes()).toBe(8 * MIB)
    const visitor = postFrom(VISITOR, envelopeText({}, EVENT))
    await waitFor("the visitor's request", () => requests.length === 9)
    for (const { answer } of requests) answer()
    const statuses = (await Promise.all(responses)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([...Array.from({ length: 8 }, () => 204), 429])
    expect((await visitor).status).toBe(204)
    expect(reservedBytes()).toBe(0)
  })

  test("of open requests gets 429, and frees them when its bodies end", async () => {
    const sentry = await recordingSentry()
    tunnelRuntime({ SENTRY_DSN: sentry.dsn })
    const endings: (() => void)[] = []
    const slow = () =>
      new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(Buffer.from("{"))
          endings.push(() => controller.close())
        },
      })
    const responses = Array.from({ length: CLIENT_OPEN_LIMIT }, () => postFrom(ATTACKER, slow()))
    expect((await postFrom(ATTACKER, envelopeText({}, EVENT))).status).toBe(429)
    expect((await postFrom(VISITOR, envelopeText({}, EVENT))).status).toBe(204)
    for (const end of endings) end()
    expect((await Promise.all(responses)).every(({ status }) => status === 400)).toBe(true)
    expect((await postFrom(ATTACKER, envelopeText({}, EVENT))).status).toBe(204)
  })

  test("is not counted if it is a page that sends again, or that counts its spans itself", async () => {
    stoppedClock()
    const { drops } = tunnelRuntime({})
    while ((await postFrom(ATTACKER, "", { "content-type": "application/vnd.pagespan.settings+json" })).ok);
    const counted = drops().length
    await postFrom(ATTACKER, envelopeText({}, EVENT), { "pagespan-retry": "1" })
    await postFrom(ATTACKER, "{}", { "content-type": "application/json", "pagespan-drops": "" })
    expect(drops()).toHaveLength(counted)
    await postFrom(ATTACKER, "{}", { "content-type": "application/json" })
    expect(drops()).toHaveLength(counted + 1)
  })
})

describe("a body", () => {
  test("of an envelope has at most 1 MiB, before inflation and after it", async () => {
    const sentry = await recordingSentry()
    const { drops } = tunnelRuntime({ SENTRY_DSN: sentry.dsn })
    const gzip = { "content-encoding": "gzip" }
    expect((await postFrom(VISITOR, envelopeOf(MIB))).status).toBe(204)
    expect((await postFrom(VISITOR, envelopeOf(MIB + 1))).status).toBe(413)
    expect((await postFrom(VISITOR, gzipSync(envelopeOf(MIB)), gzip)).status).toBe(204)
    expect((await postFrom(VISITOR, gzipSync(envelopeOf(MIB + 1)), gzip)).status).toBe(413)
    // Incompressible, so that it is larger than the limit before inflation only.
    const noise = gzipSync(randomBytes(MIB), { level: 0 })
    expect(noise.length).toBeGreaterThan(MIB)
    expect((await postFrom(VISITOR, noise, gzip)).status).toBe(413)
    expect(drops()).toEqual(["tunnel", "tunnel", "tunnel"].map((stage) => `${stage} too_large/default=1`))
    expect(sentry.requests.map(({ body }) => body.length)).toEqual([MIB, MIB])
  })

  test("of spans has at most 2 MiB and 2,048 spans", async () => {
    const collector = await new RecordingCollector().listen()
    onTestFinished(() => collector.close())
    const { drops } = tunnelRuntime({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint })
    const json = { "content-type": "application/json" }
    const padded = (bytes: number) => `{"resourceSpans":[]${" ".repeat(bytes - 20)}}`
    expect((await postFrom(VISITOR, padded(2 * MIB), json)).status).toBe(204)
    expect((await postFrom(VISITOR, padded(2 * MIB + 1), json)).status).toBe(413)
    const spans = Array.from({ length: 2_049 }, (_, index) => ({
      traceId: "0af7651916cd43dd8448eb211c80319c",
      spanId: (index + 1).toString(16).padStart(16, "0"),
      name: "x",
      startTimeUnixNano: "1700000000000000000",
      endTimeUnixNano: "1700000000000000001",
    }))
    const request = (count: number) =>
      JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: spans.slice(0, count) }] }] })
    expect((await postFrom(VISITOR, request(2_048), json)).status).toBe(204)
    expect((await postFrom(VISITOR, request(2_049), json)).status).toBe(413)
    await waitFor("the spans", () => collector.spans().length === 2_048)
    expect(drops()).toEqual(["tunnel too_large/default=1", "tunnel limit_spans/span=2049"])
  })

  test.each([
    ["gzip", gzipSync(envelopeText({}, EVENT))],
    ["deflate", deflateSync(envelopeText({}, EVENT))],
    ["br", brotliCompressSync(envelopeText({}, EVENT))],
    [undefined, Buffer.from(envelopeText({}, EVENT))],
  ])("goes to Sentry byte for byte as it came: %s", async (encoding, body) => {
    const { dsn, requests } = await heldSentry()
    tunnelRuntime({ SENTRY_DSN: dsn })
    const response = postFrom(
      VISITOR,
      new Uint8Array(body),
      encoding === undefined ? {} : { "content-encoding": encoding },
    )
    await waitFor("the request", () => requests.length === 1)
    requests[0]?.answer()
    expect((await response).status).toBe(204)
    expect(requests[0]?.body.equals(body)).toBe(true)
    expect(requests[0]?.headers["content-encoding"]).toBe(encoding)
    expect(requests[0]?.headers["content-length"]).toBe(String(body.length))
  })

  test("that Sentry does not answer in time stops no other visitor's", async () => {
    const { dsn, requests } = await heldSentry()
    const { drops } = tunnelRuntime({ SENTRY_DSN: dsn })
    vi.spyOn(AbortSignal, "timeout").mockReturnValueOnce(AbortSignal.abort(new DOMException("slow", "TimeoutError")))
    onTestFinished(() => void vi.restoreAllMocks())
    expect((await postFrom(ATTACKER, envelopeText({}, EVENT))).status).toBe(504)
    const visitor = postFrom(VISITOR, envelopeText({}, EVENT))
    await waitFor("the request", () => requests.length === 1)
    requests[0]?.answer()
    expect((await visitor).status).toBe(204)
    expect(drops()).toEqual(["tunnel network_error/error=1"])
  })

  test("whose connection Sentry resets stops no other visitor's", async () => {
    let requests = 0
    const server = createServer((request, response) => {
      request.resume()
      requests += 1
      if (requests <= 2) request.socket.destroy()
      else response.end("{}")
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => void server.close())
    tunnelRuntime({ SENTRY_DSN: `http://publickey@127.0.0.1:${(server.address() as AddressInfo).port}/42` })
    expect((await postFrom(ATTACKER, envelopeText({}, EVENT))).status).toBe(502)
    expect((await postFrom(VISITOR, envelopeText({}, EVENT))).status).toBe(204)
  })

  test("of spans that waits for the collector is in the memory budget until it has answered", async () => {
    const { requests, dsn } = await heldSentry()
    const endpoint = `http://${new URL(dsn).host}`
    tunnelRuntime({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })
    const span = {
      traceId: "0af7651916cd43dd8448eb211c80319c",
      spanId: "00000000000000aa",
      startTimeUnixNano: "1700000000000000000",
      endTimeUnixNano: "1700000000000000001",
    }
    const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })
    const response = postFrom(VISITOR, body, { "content-type": "application/json" })
    await waitFor("the request", () => requests.length === 1)
    expect(reservedBytes()).toBe(body.length)
    requests[0]?.answer()
    expect((await response).status).toBe(204)
    await waitFor("the release", () => reservedBytes() === 0)
  })
})

describe("where no DSN is configured", () => {
  test("an envelope that names one is refused and counted", async () => {
    const { drops } = tunnelRuntime({})
    const response = await postFrom(VISITOR, envelopeText({ dsn: "https://key@o1.ingest.sentry.io/1" }, EVENT))
    expect(response.status).toBe(403)
    expect(drops()).toEqual(["tunnel foreign_dsn/default=1"])
  })

  test("one that names none is of a page that did not know yet that Sentry is off", async () => {
    const { drops } = tunnelRuntime({})
    expect((await postFrom(VISITOR, envelopeText({}, EVENT))).status).toBe(204)
    expect(drops()).toEqual([])
  })
})
