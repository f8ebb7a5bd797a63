import { describe, expect, test } from "vitest"
import { encodeJson, encodeProtobuf, type Json, span } from "#tests/protocol/otlp/requests.ts"
import { post, startReceiver } from "#tests/inspector/ingest/receiver-under-test.ts"
import { sleep } from "#tests/support/wait-for.ts"

const TRACE_ID = "5b8efff798038103d269b633813fc60c"
const SPAN_ID = "eee19b7ec3c1b174"
const TIME = "1790000000000000001"
const STACK = `TypeError: boom
    at pay (/app/pay.ts:7:9)
    at async node:internal/process:1:2`

const text = (key: string, value: string): Json => ({ key, value: { stringValue: value } })

const logs = (...logRecords: Json[]) => logsOf([], ...logRecords)

function logsOf(facts: readonly Json[], ...logRecords: Json[]): Json {
  const resource = { attributes: [text("service.name", "shop"), text("deployment.environment.name", "dev"), ...facts] }
  return { resourceLogs: [{ resource, scopeLogs: [{ scope: { name: "test" }, logRecords }] }] }
}

function record(changes: Json = {}): Json {
  return {
    timeUnixNano: TIME,
    severityNumber: 9,
    severityText: "INFO",
    body: { stringValue: "hello" },
    traceId: TRACE_ID,
    spanId: SPAN_ID,
    attributes: [text("k", "v")],
    ...changes,
  }
}

const exception = [
  text("exception.type", "TypeError"),
  text("exception.message", "boom"),
  text("exception.stacktrace", STACK),
]

describe.each([
  ["json", "application/json", (value: Json) => encodeJson(value)],
  ["protobuf", "application/x-protobuf", (value: Json) => encodeProtobuf(value, "ExportLogsServiceRequest")],
])("POST /v1/logs in %s", (_name, type, encode) => {
  const send = (value: Json) => post(encode(value), { "content-type": type }, "/v1/logs")

  test("stores every field of the records", async () => {
    const { receiver, sink } = await startReceiver()
    const response = await receiver.logs(
      send(logs(record(), record({ timeUnixNano: "0", observedTimeUnixNano: TIME }))),
    )
    expect(response.status).toBe(200)
    await receiver.close()
    expect(receiver.drops.totals()).toStrictEqual({})
    expect(sink.errors).toStrictEqual([])
    expect(sink.logs).toHaveLength(2)
    expect(sink.logs[0]).toMatchObject({
      time: BigInt(TIME),
      traceId: TRACE_ID,
      spanId: SPAN_ID,
      severityNumber: 9,
      severityText: "INFO",
      body: "hello",
      attributes: new Map([["k", "v"]]),
      scope: { name: "test" },
      source: "otlp",
    })
    expect(sink.logs[1]!.time).toBe(BigInt(TIME))
  })

  test("names invalid records in the partial success and stores the others", async () => {
    const { receiver, sink } = await startReceiver()
    const bad = [record({ traceId: "abcd" }), record({ timeUnixNano: "3000000000000000000" })]
    const response = await receiver.logs(send(logs(bad[0], record(), bad[1])))
    expect(response.status).toBe(200)
    expect(Buffer.from(await response.arrayBuffer()).toString()).toContain("2 log records rejected as invalid")
    await receiver.close()
    expect(sink.logs).toHaveLength(1)
    expect(receiver.drops.totals()).toStrictEqual({ invalid: 2 })
  })

  test("stores a record with an exception as a log and as an error", async () => {
    const { receiver, sink } = await startReceiver()
    const attributes = [...exception, text("cart", "7"), text("http.route", "/cart")]
    await receiver.logs(send(logs(record({ severityNumber: 21, attributes }))))
    await receiver.close()
    expect(sink.logs).toHaveLength(1)
    expect(sink.errors).toMatchObject([
      {
        traceId: TRACE_ID,
        spanId: SPAN_ID,
        level: "fatal",
        type: "TypeError",
        value: "boom",
        service: "shop",
        environment: "dev",
        transaction: "/cart",
        tags: new Map([
          ["cart", "7"],
          ["http.route", "/cart"],
        ]),
        source: "otlp",
      },
    ])
    expect(sink.errors[0]!.exceptions[0]!.frames).toMatchObject([
      { file: "node:internal/process", line: 1, inApp: false },
      { function: "pay", file: "/app/pay.ts", line: 7, column: 9 },
    ])
  })
})

test("a log that is sent again has the same id, and two equal logs of one request have two ids", async () => {
  const { receiver, sink } = await startReceiver()
  const body = encodeJson(logs(record(), record()))
  await receiver.logs(post(body, {}, "/v1/logs"))
  await receiver.logs(post(body, {}, "/v1/logs"))
  await receiver.close()
  const ids = sink.logs.map(({ logId }) => logId)
  expect(new Set(ids).size).toBe(2)
  expect(ids.slice(0, 2)).toStrictEqual(ids.slice(2))
})

test("logs of one time that differ in sender, attributes or body have ids of their own", async () => {
  const { receiver, sink } = await startReceiver()
  const user = (name: string) => ({ kvlistValue: { values: [text("user", name)] } })
  const requests = [
    ...["pod-1", "pod-2"].map((pod) => logsOf([text("k8s.pod.name", pod)], record())),
    ...["alice", "bob"].map((name) => logs(record({ body: user(name) }))),
    ...["1", "2"].map((job) => logs(record({ attributes: [text("job.id", job)] }))),
  ]
  for (const request of requests) await receiver.logs(post(encodeJson(request), {}, "/v1/logs"))
  await receiver.close()
  expect(new Set(sink.logs.map(({ logId }) => logId)).size).toBe(requests.length)
})

test("the same error in many logs of one time without a span is an error for each", async () => {
  const { receiver, sink } = await startReceiver()
  const failures = ["1", "2", "3"].map((job) =>
    record({ traceId: "", spanId: "", attributes: [...exception, text("job.id", job)] }),
  )
  await receiver.logs(post(encodeJson(logs(...failures)), {}, "/v1/logs"))
  await receiver.close()
  expect(new Set(sink.errors.map(({ eventId }) => eventId)).size).toBe(failures.length)
})

test("exceptions that spans recorded are errors, with the same id each time the span is sent", async () => {
  const { receiver, sink } = await startReceiver()
  const events = [
    { timeUnixNano: TIME, name: "exception", attributes: exception },
    { timeUnixNano: TIME, name: "first byte", attributes: [] },
  ]
  const attributes = [text("http.route", "/cart/[id]")]
  const body = encodeJson({ resourceSpans: [{ scopeSpans: [{ spans: [span({ events, attributes })] }] }] })
  await receiver.traces(post(body))
  await receiver.traces(post(body))
  await receiver.close()
  expect(sink.errors).toMatchObject([{ type: "TypeError", transaction: "/cart/[id]", level: "error" }, {}])
  expect(sink.errors[0]).toStrictEqual(sink.errors[1])
})

test("logs that do not fit into the queue are refused with a time to retry, and counted", async () => {
  const { receiver, sink } = await startReceiver({ waitingSpanLimit: 2 })
  sink.isDown = true
  expect((await receiver.logs(post(encodeJson(logs(record(), record())), {}, "/v1/logs"))).status).toBe(200)
  const refused = await receiver.logs(post(encodeJson(logs(record(), record())), {}, "/v1/logs"))
  expect(refused.status).toBe(503)
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
  expect(receiver.drops.totals()).toStrictEqual({ store_unavailable: 2 })
})

test("exceptions for which a request has no room are counted, and its spans and other exceptions are accepted", async () => {
  const { receiver, sink } = await startReceiver({ waitingSpanLimit: 3 })
  const events = Array.from({ length: 4 }, (_, index) => ({
    timeUnixNano: String(BigInt(TIME) + BigInt(index)),
    name: "exception",
    attributes: exception,
  }))
  const body = encodeJson({ resourceSpans: [{ scopeSpans: [{ spans: [span({ events })] }] }] })
  const accepted = await receiver.traces(post(body))
  expect([accepted.status, await accepted.json()]).toStrictEqual([
    200,
    {
      partialSuccess: {
        rejectedSpans: "0",
        errorMessage: "2 parts of accepted spans dropped: errors of a request past 3 records.",
      },
    },
  ])
  await receiver.close()
  expect([sink.spans.map((each) => each.events.length), sink.errors.length]).toStrictEqual([[4], 2])
  expect(sink.drops).toMatchObject([{ stage: "ingest", reason: "limit_spans", category: "error", count: 2 }])
})

test("log records whose exceptions have no room are accepted, and the exceptions are counted", async () => {
  const { receiver, sink } = await startReceiver({ waitingSpanLimit: 3 })
  const failed = (index: number) =>
    record({ attributes: exception, timeUnixNano: String(BigInt(TIME) + BigInt(index)) })
  const response = await receiver.logs(post(encodeJson(logs(failed(0), failed(1))), {}, "/v1/logs"))
  expect(response.status).toBe(200)
  await receiver.close()
  expect([sink.logs.length, sink.errors.length]).toStrictEqual([2, 1])
  expect(receiver.drops.totals()).toStrictEqual({ limit_spans: 1 })
})

test("a record without a time that is sent again is the same record", async () => {
  const { receiver, sink } = await startReceiver()
  const send = () =>
    receiver.logs(
      post(encodeJson(logs(record({ timeUnixNano: "0" }))), { "content-type": "application/json" }, "/v1/logs"),
    )
  await send()
  await sleep(20)
  await send()
  await receiver.close()
  const [first, again] = sink.logs
  expect(again?.time).toBeGreaterThan(first?.time ?? 0n)
  expect(again?.logId).toBe(first?.logId)
})
