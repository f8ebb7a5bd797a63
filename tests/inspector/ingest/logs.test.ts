import { expect, test } from "vitest"
import { listLogs, listTraceLogs } from "#otel/inspector/api/logs.ts"
import { logCursor } from "#otel/inspector/queries/logs/log-cursor.ts"
import { envelope, item, type Json } from "#tests/protocol/sentry/envelopes.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { type RunningInspector, startInspector } from "./running-inspector.ts"

const TRACE_ID = "ab".repeat(16)
const SPAN_ID = "cd".repeat(8)
const startMs = Date.now() - 60_000
const nanos = (milliseconds: number) => `${milliseconds}000000`

/** Three records over OTLP: in the trace, in the trace and structured, and without a trace. */
const OTLP_LOGS = {
  resourceLogs: [
    {
      resource: { attributes: [{ key: "service.name", value: { stringValue: "shop" } }] },
      scopeLogs: [
        {
          logRecords: [
            {
              timeUnixNano: nanos(startMs),
              severityNumber: 9,
              severityText: "INFO",
              body: { stringValue: "cart loaded" },
              traceId: TRACE_ID,
              spanId: SPAN_ID,
              attributes: [
                { key: "cart.items", value: { intValue: "9007199254740993" } },
                { key: "__proto__", value: { stringValue: "x" } },
              ],
            },
            {
              timeUnixNano: nanos(startMs + 20),
              severityNumber: 13,
              body: { kvlistValue: { values: [{ key: "msg", value: { stringValue: "slow" } }] } },
              traceId: TRACE_ID,
              spanId: SPAN_ID,
            },
            { timeUnixNano: nanos(startMs + 30), severityNumber: 9, body: { stringValue: "started" } },
          ],
        },
      ],
    },
  ],
}

const SENTRY_LOG = {
  timestamp: (startMs + 10) / 1_000,
  level: "error",
  body: "payment failed",
  trace_id: TRACE_ID,
  attributes: {
    "sentry.trace.parent_span_id": { value: SPAN_ID, type: "string" },
    "sentry.environment": { value: "staging", type: "string" },
    "order.id": { value: "o7", type: "string" },
  },
}

async function get(running: RunningInspector, path: string, traceId?: string) {
  const request = new Request(`http://localhost${path}`, { headers: { host: "localhost" } })
  const response = await (traceId === undefined
    ? listLogs(running.inspector, request)
    : listTraceLogs(running.inspector, request, traceId))
  return { status: response.status, body: (await response.json()) as Json }
}

test("logs sent over OTLP and as a Sentry envelope item are read by trace, oldest first, and as a list, newest first", async () => {
  const running = await startInspector()
  const send = (path: string, type: string, body: Uint8Array) =>
    fetch(running.url + path, { method: "POST", headers: { "content-type": type }, body: Buffer.from(body) })
  const otlp = await send("/v1/logs", "application/json", Buffer.from(JSON.stringify(OTLP_LOGS)))
  const header = { sdk: { name: "sentry.javascript.node", version: "11.0.0" } }
  const sentry = await send(
    "/api/1/envelope/",
    "application/x-sentry-envelope",
    envelope(header, item("log", { items: [SENTRY_LOG] })),
  )
  expect([otlp.status, sentry.status]).toStrictEqual([200, 200])
  const all = await waitFor("the logs", async () => {
    const { body } = await get(running, "/api/logs")
    return body.logs.length === 4 && body
  })
  expect(all.next).toBeNull()
  expect(all.logs.map((log: Json) => log.body)).toStrictEqual([
    "started",
    { msg: "slow" },
    "payment failed",
    "cart loaded",
  ])
  expect(all.logs[0]).toMatchObject({ traceId: null, spanId: null })

  const ofTrace = await get(running, `/api/traces/${TRACE_ID}/logs`, TRACE_ID)
  expect(ofTrace.status).toBe(200)
  expect(ofTrace.body.logs).toHaveLength(3)
  expect(ofTrace.body.logs[0]).toStrictEqual({
    logId: expect.stringMatching(/^[0-9a-f]{32}$/),
    timeUnixNano: nanos(startMs),
    severityNumber: 9,
    severityText: "INFO",
    eventName: "",
    body: "cart loaded",
    traceId: TRACE_ID,
    spanId: SPAN_ID,
    service: "shop",
    attributes: Object.fromEntries([
      ["cart.items", "9007199254740993"],
      ["__proto__", "x"],
    ]),
    source: "otlp",
  })
  expect(ofTrace.body.logs[1]).toMatchObject({
    severityNumber: 17,
    severityText: "error",
    body: "payment failed",
    spanId: SPAN_ID,
    attributes: { "order.id": "o7" },
    source: "sentry",
  })

  const bodies = async (query: string) => {
    const { body } = await get(running, `/api/logs?${new URLSearchParams(query)}`)
    return body.logs.map((log: Json) => log.body)
  }
  expect(await bodies("q=severity>=warn")).toStrictEqual([{ msg: "slow" }, "payment failed"])
  expect(await bodies(`q=trace:${TRACE_ID}&limit=1`)).toStrictEqual([{ msg: "slow" }])
  expect(await bodies(`until=${new Date(startMs + 10).toISOString()}`)).toStrictEqual(["cart loaded"])
  expect(await bodies(`since=${new Date(startMs + 20).toISOString()}`)).toStrictEqual(["started", { msg: "slow" }])
  expect(await bodies("q=severity:warn OR severity:info&service=shop&limit=2")).toStrictEqual([
    "started",
    { msg: "slow" },
  ])
  expect(await bodies("service=none")).toStrictEqual([])
  expect(await bodies("q=env:staging")).toStrictEqual(["payment failed"])

  const { body: first } = await get(running, "/api/logs?limit=3")
  const { body: second } = await get(running, `/api/logs?limit=3&after=${first.next}`)
  expect([...first.logs, ...second.logs]).toStrictEqual(all.logs)
  expect(second.next).toBeNull()
  expect(logCursor(first.logs[2])).toBe(first.next)
  const { body: back } = await get(running, `/api/logs?order=oldest&after=${logCursor(all.logs[2])}`)
  expect(back.logs).toStrictEqual(all.logs.slice(0, 2).toReversed())

  const { body: cut } = await get(running, "/api/logs?cut=4&limit=2")
  expect(cut.logs).toMatchObject([
    { body: "star", isCut: true },
    { body: '{"ms', isCut: true },
  ])
})

test("an invalid filter or trace id of logs is answered 400, and an unknown trace has no logs", async () => {
  const running = await startInspector()
  const { status, body } = await get(running, "/api/logs?q=service:shop%20duration%3E5ms")
  expect(status).toBe(400)
  expect(body).toMatchObject({ message: expect.stringMatching(/^Logs have no duration: /), start: 13, end: 21 })
  expect((await get(running, "/api/traces/zz/logs", "zz")).status).toBe(400)
  const unknown = "9".repeat(32)
  expect(await get(running, `/api/traces/${unknown}/logs`, unknown)).toStrictEqual({
    status: 200,
    body: { logs: [], next: null },
  })
  const { body: noticed } = await get(running, "/api/logs?since=soon&limit=0")
  expect(noticed.notices).toHaveLength(2)
})
