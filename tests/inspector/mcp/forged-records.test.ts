import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { expect, onTestFinished, test, vi } from "vitest"
import { startInspector } from "#tests/inspector/ingest/running-inspector.ts"
import { span } from "#tests/protocol/otlp/requests.ts"
import { envelope, errorEvent, item } from "#tests/protocol/sentry/envelopes.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { FORGED, frameOf, HIDDEN, ORDER, stringsIn } from "./forged-texts.ts"

/** Forged instructions on their whole way: from a request of an observed program, through the store, to an agent. */

// Hundreds of calls of an inspector with a store.
vi.setConfig({ testTimeout: 120_000 })

const TEXTS = FORGED.map(([, text]) => text)
const hex = (number: number, digits: number) => (0xf0000000 + number).toString(16).padStart(digits, "0")
const traceIdOf = (number: number) => hex(number, 32)
const spanIdOf = (number: number, index: number) => hex(number * 16 + index, 16)

/** A request, a failed one and six equal ones below it, of two services. */
function tracesOf(text: string, number: number) {
  const value = { stringValue: text }
  const attributes = [
    { key: text, value },
    {
      key: `http.${text}`,
      value: { kvlistValue: { values: [{ key: text, value: { arrayValue: { values: [value] } } }] } },
    },
    { key: "http.route", value },
    { key: "session.id", value: { stringValue: `session ${number}` } },
  ]
  const exception = ["exception.type", "exception.message", "exception.stacktrace"].map((key) => ({ key, value }))
  const now = BigInt(Date.now()) * 1_000_000n
  const spanOf = (index: number, changes: object) =>
    span({
      traceId: traceIdOf(number),
      spanId: spanIdOf(number, index),
      name: text,
      traceState: text,
      startTimeUnixNano: String(now),
      endTimeUnixNano: String(now + BigInt(50 - index) * 1_000_000n),
      attributes,
      status: { code: 2, message: text },
      events: [
        { timeUnixNano: String(now), name: text, attributes },
        { timeUnixNano: String(now), name: "exception", attributes: exception },
      ],
      links: [{ traceId: traceIdOf(number), spanId: spanIdOf(number, 1), traceState: text, attributes }],
      ...changes,
    })
  const resourceOf = (service: string, spans: readonly unknown[]) => ({
    resource: { attributes: [...attributes, { key: "service.name", value: { stringValue: service } }] },
    schemaUrl: text,
    scopeSpans: [{ scope: { name: text, version: text, attributes }, schemaUrl: text, spans }],
  })
  const parentSpanId = spanIdOf(number, 1)
  const below = [2, 3, 4, 5, 6, 7, 8].map((index) => spanOf(index, { parentSpanId, kind: 3 }))
  return {
    resourceSpans: [
      resourceOf(text, [spanOf(1, { kind: 2 }), ...below]),
      resourceOf(`${text}2`, [spanOf(9, { parentSpanId: spanIdOf(number, 2), kind: 2 })]),
    ],
  }
}

function logsOf(text: string, number: number) {
  const value = { stringValue: text }
  const attributes = [{ key: text, value }]
  const logRecord = {
    timeUnixNano: `${Date.now()}000000`,
    traceId: traceIdOf(number),
    spanId: spanIdOf(number, 1),
    severityNumber: 17,
    severityText: text,
    eventName: text,
    body: { kvlistValue: { values: [{ key: text, value }] } },
    attributes,
  }
  const scope = { name: text, version: text, attributes }
  const resource = { attributes: [{ key: "service.name", value }] }
  return { resourceLogs: [{ resource, scopeLogs: [{ scope, logRecords: [logRecord] }] }] }
}

/** An error with what users and the SDK add to it, and a report of what the SDK dropped. */
function envelopeOf(text: string, number: number): Uint8Array<ArrayBuffer> {
  const event_id = hex(number, 32)
  const frame = {
    function: text,
    filename: text,
    module: text,
    abs_path: text,
    lineno: 1,
    context_line: text,
    in_app: true,
  }
  const exception = {
    type: text,
    value: text,
    module: text,
    mechanism: { type: text },
    stacktrace: { frames: [frame] },
  }
  const event = errorEvent({
    event_id,
    timestamp: Date.now() / 1_000,
    level: text,
    platform: text,
    transaction: text,
    server_name: text,
    environment: text,
    release: text,
    logger: text,
    tags: { [text]: text },
    user: { id: text, username: text },
    extra: { [text]: text },
    breadcrumbs: { values: [{ category: text, message: text, data: { [text]: text } }] },
    contexts: { trace: { trace_id: traceIdOf(number), span_id: spanIdOf(number, 1) }, [text]: { [text]: text } },
    exception: { values: [exception] },
  })
  const feedback = { message: text, name: text, contact_email: text, url: text, associated_event_id: event_id }
  const discarded_events = [{ reason: text, category: text, quantity: 3 }]
  return envelope(
    { event_id, sdk: { name: text, version: text } },
    item("event", event),
    item("feedback", { event_id, contexts: { feedback } }),
    item("attachment", "x", { filename: text, content_type: text, attachment_type: text, length: 1 }),
    item("client_report", { timestamp: Date.now() / 1_000, discarded_events }),
  ) as Uint8Array<ArrayBuffer>
}

async function ingest(url: string): Promise<void> {
  const json = { "content-type": "application/json" }
  const post = async (path: string, body: BodyInit, headers: Record<string, string> = {}) =>
    expect([path, (await fetch(url + path, { method: "POST", headers, body })).status]).toStrictEqual([path, 200])
  for (const [number, text] of TEXTS.entries()) {
    await post("/v1/traces", JSON.stringify(tracesOf(text, number)), json)
    await post("/v1/logs", JSON.stringify(logsOf(text, number)), json)
    await post("/api/1/envelope/?sentry_key=any", envelopeOf(text, number))
  }
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1" })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)) as Transport)
  onTestFinished(() => client.close())
  return client
}

interface Called {
  readonly text: string
  readonly structured: Record<string, unknown>
}

test("no text of a record that was sent leaves its delimiters in any tool, whatever is in it", async () => {
  const { url, read } = await startInspector()
  await ingest(url)
  const client = await connect(url)
  const seen = new Map<string, string>()
  const call = async (name: string, given: Record<string, unknown> = {}): Promise<Called> => {
    const { content, structuredContent, isError } = await client.callTool({ name, arguments: given })
    const [{ text }] = content as [{ text: string }]
    expect([name, isError, text]).toStrictEqual([name, undefined, text])
    expect([name, HIDDEN.exec(text), HIDDEN.exec(JSON.stringify(structuredContent))]).toStrictEqual([name, null, null])
    expect([name, frameOf(text)]).not.toStrictEqual([
      name,
      expect.stringMatching(/Ignore|rm -rf|System|[⟦⟧]{3}|[〚〛⟬⟭]/),
    ])
    for (const each of stringsIn(structuredContent))
      expect([name, each]).not.toStrictEqual([name, expect.stringMatching(/[\n⟦⟧]/)])
    seen.set(name, (seen.get(name) ?? "") + text)
    return { text, structured: structuredContent as Record<string, unknown> }
  }
  for (const number of TEXTS.keys()) await waitFor("a trace", () => read(`/api/traces/${traceIdOf(number)}`))
  await waitFor("the errors", async () => (await read("/api/errors")).issues.length >= TEXTS.length)
  await waitFor("the reported drops", async () => (await read("/api/dropped")).dropped.length > 0)

  for (const [name, given] of LISTS) await call(name, given)
  const { issues } = (await call("find_errors", { limit: 50 })).structured as { issues: { issueId: string }[] }
  for (const { issueId } of issues) await call("get_error", { issueId })
  for (const [number, text] of TEXTS.entries()) {
    const traceId = traceIdOf(number)
    for (const name of ["trace_topology", "critical_path", "get_findings"]) await call(name, { traceId })
    for (const index of [1, 2, 9]) await call("get_span", { traceId, spanId: spanIdOf(number, index) })
    await call("get_session", { sessionId: `session ${number}` })
    await call("get_logs", { traceId })
    await call("what_differs", { filter: `session.id:"session ${number}"`, baseline: "" })
    // Half a character cannot be sent, so this service has another name.
    if (isWhole(text)) await call("get_service", { service: text })
  }
  const { tools } = await client.listTools()
  expect([...seen.keys()].toSorted()).toStrictEqual(tools.map(({ name }) => name).toSorted())
  // Each tool did get the texts, so the test can find them. The one of drops only has numbers and names of ours.
  const withoutText = [...seen].filter(([, text]) => !text.includes(ORDER)).map(([name]) => name)
  expect(withoutText).toStrictEqual(["get_drops"])
})

const isWhole = (text: string) => Buffer.from(text).toString() === text

const LISTS: readonly (readonly [tool: string, given: Record<string, unknown>])[] = [
  ["find_traces", { limit: 50 }],
  ["get_logs", {}],
  ["compare", { a: "", b: "span.name:*Ignore*", limit: 50 }],
  ["list_services", {}],
  ["assert_budget", { budgets: { routes: { "*": { duration: { p75: "1ms" } } } } }],
  ["get_drops", {}],
]
