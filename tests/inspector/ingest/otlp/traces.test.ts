import { gzipSync } from "node:zlib"
import { describe, expect, test } from "vitest"
import { type OtlpEncoding, otlpType } from "#otel/protocol/otlp/message.ts"
import { secret } from "#otel/protocol/secret.ts"
import { encode, type Json, span as exampleSpan, SPAN_ID, TRACE_ID } from "#tests/protocol/otlp/requests.ts"
import { post, startReceiver } from "#tests/inspector/ingest/receiver-under-test.ts"

const TYPES = { json: "application/json", protobuf: "application/x-protobuf" } as const

function request(...spans: Json[]): Json {
  return { resourceSpans: [{ scopeSpans: [{ spans }] }] }
}

async function answerOf(response: Response, encoding: OtlpEncoding): Promise<Json> {
  const bytes = Buffer.from(await response.arrayBuffer())
  expect(response.headers.get("content-type")).toBe(TYPES[encoding])
  if (encoding === "json") return JSON.parse(bytes.toString())
  const type = otlpType(response.ok ? "ExportTraceServiceResponse" : "Status")
  return type.toObject(type.decode(bytes), { longs: String })
}

describe.each<OtlpEncoding>(["json", "protobuf"])("POST /v1/traces in %s", (encoding) => {
  const send = (value: Json, headers = {}) =>
    post(encode(value, encoding), { "content-type": TYPES[encoding], ...headers })

  test("returns an empty message, and the span is stored", async () => {
    const { receiver, sink } = await startReceiver()
    const response = await receiver.traces(send(request(exampleSpan())))
    expect(response.status).toBe(200)
    expect(response.headers.get("cache-control")).toBe("no-store")
    expect(Buffer.from(await response.clone().arrayBuffer()).toString()).toBe(encoding === "json" ? "{}" : "")
    expect(await answerOf(response, encoding)).toStrictEqual({})
    await sink.until(({ spans }) => spans.length === 1)
    expect(sink.spans[0]).toMatchObject({ traceId: TRACE_ID, spanId: SPAN_ID, source: "otlp" })
  })

  test("accepts an empty request and stores nothing", async () => {
    const { receiver, sink } = await startReceiver()
    expect((await receiver.traces(send({}))).status).toBe(200)
    expect((await receiver.traces(send(request()))).status).toBe(200)
    await receiver.close()
    expect(sink.offeredBatchIds).toStrictEqual([])
  })

  test("accepts gzip", async () => {
    const { receiver, sink } = await startReceiver()
    const body = gzipSync(encode(request(exampleSpan()), encoding))
    const response = await receiver.traces(post(body, { "content-type": TYPES[encoding], "content-encoding": "gzip" }))
    expect(response.status).toBe(200)
    await sink.until(({ spans }) => spans.length === 1)
  })

  test.each([[[0]], [[2]], [[4]], [[0, 4]], [[1, 2, 3]], [[0, 1, 2, 3, 4]]])(
    "with invalid spans at %j of five returns their number and stores the others",
    async (bad) => {
      const { receiver, sink } = await startReceiver()
      const spans = Array.from({ length: 5 }, (_, index) =>
        exampleSpan({ name: `s${index}`, ...(bad.includes(index) && { spanId: "00".repeat(8) }) }),
      )
      const response = await receiver.traces(send(request(...spans)))
      expect(response.status).toBe(200)
      const { partialSuccess } = await answerOf(response, encoding)
      expect(partialSuccess.rejectedSpans).toBe(String(bad.length))
      expect(partialSuccess.errorMessage).toMatch(/rejected as invalid: spanId is not 8 bytes/)
      const valid = [0, 1, 2, 3, 4].filter((index) => !bad.includes(index)).map((index) => `s${index}`)
      await receiver.close()
      expect(sink.spans.map(({ name }) => name)).toStrictEqual(valid)
      expect(sink.drops).toMatchObject([{ stage: "ingest", reason: "invalid", category: "span", count: bad.length }])
      expect(receiver.drops.totals()).toStrictEqual({ invalid: bad.length })
    },
  )

  test("reports truncated fields of accepted spans as a warning: nothing rejected, and a message", async () => {
    const { receiver, sink } = await startReceiver()
    const response = await receiver.traces(send(request(exampleSpan({ name: "n".repeat(2_000) }))))
    const { partialSuccess } = await answerOf(response, encoding)
    expect(partialSuccess.rejectedSpans ?? "0").toBe("0")
    expect(partialSuccess.errorMessage).toMatch(/dropped: a span's name longer than 1024 bytes/)
    await receiver.close()
    expect(sink.spans).toHaveLength(1)
    expect(sink.drops).toMatchObject([{ reason: "limit_attributes", category: "default", count: 1 }])
  })

  test.each([
    ["a malformed body", "not a message", {}, 400, 3, "malformed"],
    ["compressed junk", "not gzip", { "content-encoding": "gzip" }, 400, 3, "bad_encoding"],
    ["an unknown encoding", "{}", { "content-encoding": "lz4" }, 415, 3, "bad_encoding"],
    ["a foreign origin", "{}", { origin: "https://evil.example" }, 403, 7, "foreign_origin"],
    ["a foreign host", "{}", { host: "evil.example" }, 421, 7, "foreign_host"],
    ["a length over the limit", "{}", { "content-length": "20971521" }, 413, 8, "too_large"],
  ])("answers %s with a Status in the encoding of the request", async (_name, body, headers, status, code, reason) => {
    const { receiver, sink } = await startReceiver()
    const response = await receiver.traces(post(body, { "content-type": TYPES[encoding], ...headers }))
    expect(response.status).toBe(status)
    const answer = await answerOf(response, encoding)
    expect(answer).toStrictEqual({ code, message: expect.stringMatching(/^[A-Z].*\.$/) })
    expect(answer.message).not.toMatch(/\/|\bat |node|\d+\.\d+\.\d+|protobufjs|not a message|not gzip/)
    await receiver.close()
    expect(sink.drops).toMatchObject([{ stage: "ingest", reason, category: "span", count: 1 }])
  })
})

test.each([
  ["", 415],
  ["text/plain", 415],
  ["application/x-www-form-urlencoded", 415],
  ["multipart/form-data; boundary=x", 415],
  ["application/jsonp", 415],
  ["application/json; charset=latin1", 415],
  ["application/json, application/x-protobuf", 415],
  ["application/json", 200],
  ["application/json; charset=utf-8", 200],
  ['Application/JSON;charset="UTF-8"', 200],
])("the content type %j is answered %i", async (type, status) => {
  const { receiver } = await startReceiver()
  const response = await receiver.traces(post("{}", { "content-type": type }))
  expect(response.status).toBe(status)
})

function preflightFrom(origin: string, headers = {}): Request {
  return new Request("http://localhost/v1/traces", {
    method: "OPTIONS",
    headers: { host: "localhost", origin, "access-control-request-method": "POST", ...headers },
  })
}

describe("a preflight", () => {
  test("of a page that may write allows it, without a token, and lets it read the response", async () => {
    const { receiver } = await startReceiver({ token: secret("0123456789abcdef") })
    const origin = "http://localhost:3000"
    const preflight = await receiver.traces(preflightFrom(origin))
    expect(preflight.status).toBe(204)
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      "access-control-allow-origin": origin,
      "access-control-allow-methods": "POST",
      "access-control-allow-headers": expect.stringContaining("content-type"),
      "access-control-max-age": "7200",
      vary: "origin",
    })
    const answer = await receiver.traces(post("{}", { origin, authorization: "Bearer 0123456789abcdef" }))
    expect(answer.status).toBe(200)
    expect(answer.headers.get("access-control-allow-origin")).toBe(origin)
    const refused = await receiver.traces(post("{}", { origin }))
    expect(refused.status).toBe(401)
    expect(refused.headers.get("access-control-allow-origin")).toBe(origin)
  })

  test.each(["null", "https://evil.example"])("of %s is refused", async (origin) => {
    const { receiver } = await startReceiver()
    const preflight = await receiver.traces(preflightFrom(origin))
    expect(preflight.status).toBe(403)
    expect(preflight.headers.get("access-control-allow-origin")).toBeNull()
  })

  test("of a foreign host is refused", async () => {
    const { receiver } = await startReceiver()
    expect((await receiver.traces(preflightFrom("http://localhost:3000", { host: "evil.example" }))).status).toBe(421)
  })

  test("needs its request header: any other OPTIONS is not allowed", async () => {
    const { receiver } = await startReceiver()
    const request = new Request("http://localhost/", { method: "OPTIONS", headers: { host: "localhost" } })
    expect((await receiver.traces(request)).status).toBe(405)
  })
})

test("metrics are not supported and all rejected in a partial success", async () => {
  const dataPoints = [
    { asInt: "1", timeUnixNano: "1" },
    { asInt: "2", timeUnixNano: "1" },
  ]
  const metrics = {
    resourceMetrics: [
      {
        scopeMetrics: [
          { metrics: [{ name: "a", sum: { dataPoints } }, { name: "b", gauge: { dataPoints: [{}] } }, { name: "c" }] },
        ],
      },
    ],
  }
  const { receiver, sink } = await startReceiver()
  const response = await receiver.metrics(post(JSON.stringify(metrics)))
  expect(response.status).toBe(200)
  expect(await response.json()).toStrictEqual({
    partialSuccess: { rejectedDataPoints: "3", errorMessage: expect.stringContaining("not supported") },
  })
  expect(await (await receiver.metrics(post("{}"))).json()).toStrictEqual({})
  expect((await receiver.metrics(post("{"))).status).toBe(400)
  await receiver.close()
  expect(sink.drops).toContainEqual(
    expect.objectContaining({ stage: "ingest", reason: "unsupported", category: "metric", count: 3 }),
  )
})
