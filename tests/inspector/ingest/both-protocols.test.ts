import { expect, test } from "vitest"
import { envelope, errorEvent, item, type Json, transaction } from "#tests/protocol/sentry/envelopes.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { startInspector, type RunningInspector } from "./running-inspector.ts"

/** Ids and times of this test. Recent times, since the store retains no others. */
const TRACE_ID = "ab".repeat(16)
const ROOT_ID = "cd".repeat(8)
const CHILD_ID = "ef".repeat(8)
const EVENT_ID = "12".repeat(16)
const startMs = Date.now() - 60_000
const nanos = (milliseconds: number) => `${milliseconds}000000`
const text = (key: string, value: string) => ({ key, value: { stringValue: value } })

function recentTransaction(): Json {
  const [child] = transaction().spans
  return transaction({
    start_timestamp: startMs / 1_000,
    timestamp: (startMs + 50) / 1_000,
    contexts: {
      trace: { trace_id: TRACE_ID, span_id: ROOT_ID, op: "pageload", status: "ok", data: { "http.route": "/cart" } },
      otel: { resource: { "service.name": "shop-browser" } },
    },
    transaction: "/cart",
    spans: [
      {
        ...child,
        trace_id: TRACE_ID,
        span_id: CHILD_ID,
        parent_span_id: ROOT_ID,
        start_timestamp: (startMs + 10) / 1_000,
        timestamp: (startMs + 20) / 1_000,
      },
    ],
  })
}

/** The same two spans over OTLP, with an exception on the root. */
function twin(): Json {
  const exception = {
    timeUnixNano: nanos(startMs + 15),
    name: "exception",
    attributes: [text("exception.type", "RangeError"), text("exception.message", "out of stock")],
  }
  const root = {
    traceId: TRACE_ID,
    spanId: ROOT_ID,
    name: "/cart",
    startTimeUnixNano: nanos(startMs),
    endTimeUnixNano: nanos(startMs + 50),
    attributes: [text("http.route", "/cart"), text("session.id", "s1")],
    events: [exception],
  }
  const child = {
    traceId: TRACE_ID,
    spanId: CHILD_ID,
    parentSpanId: ROOT_ID,
    name: "SELECT 1",
    startTimeUnixNano: nanos(startMs + 10),
    endTimeUnixNano: nanos(startMs + 20),
  }
  const resource = { attributes: [text("service.name", "shop-browser")] }
  return { resourceSpans: [{ resource, scopeSpans: [{ spans: [root, child] }] }] }
}

async function sendEnvelope({ url }: RunningInspector, ...items: Parameters<typeof envelope>[1][]): Promise<number> {
  const body = envelope({}, ...items) as Uint8Array<ArrayBuffer>
  return (await fetch(`${url}/api/1/envelope/?sentry_key=any`, { method: "POST", body })).status
}

async function send({ url }: RunningInspector, path: string, body: Json): Promise<number> {
  const headers = { "content-type": "application/json" }
  return (await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) })).status
}

const sendTwin = (running: RunningInspector, path: string) => send(running, path, twin())

test.each([
  ["OTLP first, at its own path", "otlp", "/v1/traces"],
  ["Sentry first, then OTLP at Sentry's path", "sentry", "/api/1/integration/otlp/v1/traces"],
])("a span that arrives over both protocols is one span with two sources: %s", async (_name, first, path) => {
  const running = await startInspector()
  const sendings = [
    () => sendTwin(running, path),
    () => sendEnvelope(running, item("transaction", recentTransaction())),
  ]
  for (const send of first === "otlp" ? sendings : sendings.toReversed()) expect(await send()).toBe(200)
  const trace = await waitFor("both sources", async () => {
    const { traces } = await running.read("/api/traces")
    return traces[0]?.sources.length === 2 && traces[0]
  })
  expect(trace).toMatchObject({ traceId: TRACE_ID, name: "/cart", spanCount: 2, services: ["shop-browser"] })
  expect(trace).toMatchObject({ sources: ["otlp", "sentry"], durationNano: "50000000" })
  const { resourceSpans } = await running.read(`/api/traces/${TRACE_ID}`)
  const spans = resourceSpans.flatMap(({ scopeSpans }: Json) => scopeSpans.flatMap((group: Json) => group.spans))
  expect(spans.map(({ spanId }: Json) => spanId).toSorted()).toStrictEqual([ROOT_ID, CHILD_ID].toSorted())
  // OTLP's record has the event, which a Sentry transaction cannot contain.
  expect(spans.find(({ spanId }: Json) => spanId === ROOT_ID).events).toHaveLength(1)
})

test("an event that is sent twice counts once, and an exception that a span recorded is an issue of its own", async () => {
  const running = await startInspector()
  const event = errorEvent({ event_id: EVENT_ID, timestamp: (startMs + 5) / 1_000 })
  for (let times = 0; times < 2; times += 1) {
    expect(await sendEnvelope(running, item("event", event))).toBe(200)
    expect(await sendTwin(running, "/v1/traces")).toBe(200)
  }
  const issues = await waitFor("both issues", async () => {
    const answer = await running.read("/api/errors")
    return answer.issues.length === 2 && answer.issues
  })
  expect(issues.map(({ title, count, sources }: Json) => [title, count, sources])).toStrictEqual([
    ["RangeError: out of stock", 1, ["otlp"]],
    ["TypeError: boom", 1, ["sentry"]],
  ])
  expect(issues[0]).toMatchObject({
    lastTraceId: TRACE_ID,
    firstSeen: nanos(startMs + 15),
    lastSeen: nanos(startMs + 15),
  })
  const issue = await running.read(`/api/errors/${issues[0].issueId}`)
  expect(issue.events).toMatchObject([{ spanId: ROOT_ID, exceptions: [{ type: "RangeError", value: "out of stock" }] }])
  expect(await running.read(`/api/errors/${"0".repeat(32)}`)).toBeUndefined()
})

test("an error that a page reports to Sentry, and by a span below the root that has ended, is one error of the root", async () => {
  const running = await startInspector()
  const endMs = startMs + 9_000
  const exception = {
    timeUnixNano: nanos(endMs),
    name: "exception",
    attributes: [text("exception.type", "TypeError"), text("exception.message", "boom")],
  }
  const span = {
    traceId: TRACE_ID,
    spanId: CHILD_ID,
    parentSpanId: ROOT_ID,
    name: "exception",
    startTimeUnixNano: nanos(endMs),
    endTimeUnixNano: nanos(endMs),
    events: [exception],
  }
  const resource = { attributes: [text("service.name", "shop-browser")] }
  const request = { resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] }
  const contexts = { trace: { trace_id: TRACE_ID, span_id: ROOT_ID } }
  const event = errorEvent({ event_id: EVENT_ID, timestamp: endMs / 1_000, contexts })
  const later = errorEvent({
    event_id: "34".repeat(16),
    timestamp: endMs / 1_000,
    contexts,
    exception: { values: [{ type: "Later" }] },
  })
  expect(await send(running, "/v1/traces", request)).toBe(200)
  expect(await sendEnvelope(running, item("event", event))).toBe(200)
  expect(await sendEnvelope(running, item("event", later))).toBe(200)
  const issues = await waitFor("the last", async () => {
    const answer = await running.read("/api/errors")
    return answer.issues.some(({ title }: Json) => title === "Later") && answer.issues
  })
  expect(issues.map(({ title, count }: Json) => [title, count]).toSorted()).toEqual([
    ["Later", 1],
    ["TypeError: boom", 1],
  ])
  const { issueId } = issues.find(({ title }: Json) => title === "TypeError: boom")
  expect((await running.read(`/api/errors/${issueId}`)).events).toMatchObject([{ spanId: ROOT_ID }])
})

test("drops are listed with stage, reason, category and count", async () => {
  const running = await startInspector()
  const report = { discarded_events: [{ reason: "ratelimit_backoff", category: "span", quantity: 7 }] }
  await sendEnvelope(running, item("transaction", "{broken"), item("client_report", report))
  const drops = await waitFor("the drops", async () => {
    const answer = await running.read("/api/dropped")
    return answer.dropped.length === 2 && answer.dropped
  })
  expect(drops).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ stage: "ingest", reason: "malformed", category: "transaction", count: 1 }),
      expect.objectContaining({ stage: "server", reason: "ratelimit_backoff", category: "span", count: 7 }),
    ]),
  )
})

test("an envelope is stored whatever text it contains", async () => {
  const running = await startInspector()
  const odd = `\u0000 \ud800 \udfff \\' " \n\r\t \u2028 ${"日本語 🦜".repeat(9_000)}`
  const bag = { [odd.slice(0, 40)]: odd, __proto__: odd, nested: { [odd.slice(0, 9)]: [odd, null, 1e300, -0] } }
  const event = errorEvent({
    event_id: EVENT_ID,
    timestamp: startMs / 1_000,
    transaction: odd,
    server_name: odd,
    release: odd,
    tags: bag,
    extra: bag,
    request: bag,
    breadcrumbs: [bag, odd],
    exception: { values: [{ type: odd, value: odd, stacktrace: { frames: [{ function: odd, context_line: odd }] } }] },
  })
  const { contexts } = recentTransaction()
  const spans = item("transaction", {
    ...recentTransaction(),
    transaction: odd,
    contexts: { ...contexts, otel: { resource: bag } },
  })
  const log = {
    timestamp: startMs / 1_000,
    body: odd,
    trace_id: TRACE_ID,
    attributes: { [odd.slice(0, 9)]: { value: bag } },
  }
  expect(await sendEnvelope(running, spans, item("event", event), item("log", { items: [log] }))).toBe(200)
  const issue = await waitFor("the issue", async () => {
    const { issues } = await running.read("/api/errors")
    return issues[0]
  })
  const { events } = await running.read(`/api/errors/${issue.issueId}`)
  expect(events[0].value.startsWith("\u0000 \ufffd \ufffd \\' \" \n\r\t \u2028 日本語")).toBe(true)
  await waitFor("the trace", () => running.read(`/api/traces/${TRACE_ID}`))
  const logs = () => running.inspector.queries.logs({ traceId: TRACE_ID as never, limit: 10 })
  await waitFor("the log", async () => (await logs()).logs.length === 1)
  expect(Object.keys(running.inspector.receiver.report().dropped)).toStrictEqual(["limit_attributes"])
})
