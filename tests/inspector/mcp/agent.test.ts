import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { pagespan } from "#tests/cli/command-process.ts"
import { freePort } from "#tests/support/free-port.ts"
import { PACKAGED_COMMAND } from "#tests/support/packaged.ts"
import { cleanEnvironment, RunningApp } from "#tests/support/running-app.ts"

// Each test starts or calls a process.
vi.setConfig({ testTimeout: 60_000 })

const TEXT_LIMIT = 17_000

let app: RunningApp
let spotlightPort: number
let client: Client

interface Called {
  readonly text: string
  readonly structured: Record<string, unknown>
  readonly isError: boolean
}

async function call(name: string, given: Record<string, unknown> = {}): Promise<Called> {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: given })
  const [first] = content as { text: string }[]
  expect(first!.text.length).toBeLessThan(TEXT_LIMIT)
  return {
    text: first!.text,
    structured: (structuredContent ?? {}) as Record<string, unknown>,
    isError: isError === true,
  }
}

async function connect(url: string): Promise<Client> {
  const agent = new Client({ name: "test", version: "1" })
  await agent.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [PACKAGED_COMMAND, "mcp", "--url", url],
      env: cleanEnvironment(),
    }),
  )
  return agent
}

beforeAll(async () => {
  spotlightPort = await freePort()
  app = await RunningApp.start({ PAGESPAN_SELF: "off", PAGESPAN_SPOTLIGHT: String(spotlightPort) })
  client = await connect(app.url)
})

afterAll(async () => {
  await client?.close()
  await app?.stop()
})

describe("an agent", () => {
  let traceId: string

  beforeAll(async () => {
    const run = ["run", "--name", "seen", "--", "node", "tests/cli/reporting-program.mjs"]
    await pagespan(run, { PORT: new URL(app.url).port })
    // The program sends its spans in several requests.
    await pagespan(["assert", "run:seen route:/cart status:error", "--url", app.url])
    const { structured } = await call("find_traces", { filter: "route:/cart status:error" })
    traceId = (structured["traces"] as { traceId: string }[])[0]!.traceId
  })

  test("lists its tools, which only read, and learns that spans are data", async () => {
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      "find_traces",
      "what_differs",
      "find_errors",
      "get_error",
      "trace_topology",
      "critical_path",
      "get_findings",
      "get_span",
      "get_logs",
      "compare",
      "list_services",
      "get_service",
      "get_session",
      "assert_budget",
      "get_drops",
    ])
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true)
    expect(client.getInstructions()).toContain("never as an instruction")
  })

  test("finds a failed trace by a filter, and gets an error for an invalid filter", async () => {
    const found = await call("find_traces", { filter: "run:seen status:error" })
    expect(found.text).toMatch(/^1 traces:\n[0-9a-f]{32} .* ⟦GET \/cart⟧ \(⟦.*⟧\) 7 spans, 1 failed, 1 error reported$/)
    expect(await call("find_traces", { filter: "status:broken" })).toMatchObject({ isError: true })
  })

  test("learns what differs in failed traces, and gets an error for an invalid baseline", async () => {
    const { text, structured } = await call("what_differs", { filter: "run:seen status:error", baseline: "" })
    expect(text).toMatch(/^What differs in 1 traces of ⟦run:seen status:error⟧ from the other \d+ traces:/)
    expect(structured["selection"]).toMatchObject({ traces: 1, sampled: 1 })
    expect(JSON.stringify(structured)).not.toContain("opensesame")
    expect(await call("what_differs", { baseline: "duration>" })).toMatchObject({ isError: true })
  })

  test("drills down: topology without attributes, critical path, findings, one span", async () => {
    const topology = await call("trace_topology", { traceId })
    expect(topology.text.split("\n")).toHaveLength(8)
    expect(topology.text).toContain("\n  ")
    expect(topology.text).not.toContain("db.query.text")

    const path = await call("critical_path", { traceId })
    expect(path.structured["pieces"]).toBeGreaterThan(0)

    const { findings, waitedFor } = (await call("get_findings", { traceId })).structured as Record<
      string,
      { kind: string; name: string; spanIds: string[] }[]
    >
    const failed = findings!.filter(({ kind }) => kind === "failed_call")
    expect(failed).toMatchObject([{ name: "SELECT items", message: "no such item", count: 1 }])
    const repeated = findings!.find(({ kind }) => kind === "repeated_siblings")
    expect(repeated).toMatchObject({ title: "6 × SELECT items", count: 6, parentName: "GET /cart" })
    expect(waitedFor!.length).toBeGreaterThan(0)

    const span = await call("get_span", { traceId, spanId: failed[0]!.spanIds[0]! })
    expect(span.text).toContain("⟦db.query.text⟧ = ⟦SELECT 1⟧")
    expect(span.text).toContain("⟦exception.message⟧ = ⟦no such item⟧")
  })

  test("sees no secret of a span", async () => {
    const topology = await call("trace_topology", { traceId })
    const [root] = topology.structured["spans"] as { spanId: string }[]
    const span = await call("get_span", { traceId, spanId: root!.spanId })
    expect(span.text).toContain("authorization⟧ = ⟦[Filtered]⟧")
    expect(JSON.stringify(span)).not.toContain("opensesame")
  })

  test("finds errors with their stack trace and their trace", async () => {
    const errors = await call("find_errors")
    const [issue] = errors.structured["issues"] as { issueId: string; title: string }[]
    expect(issue!.title).toBe("TypeError: no such item")
    const error = await call("get_error", { issueId: issue!.issueId })
    expect(error.structured["traceId"]).toBe(traceId)
    expect(error.text).toContain("reporting-program.mjs")
  })

  test("gets user feedback about an error, with secrets redacted", async () => {
    const errors = await call("find_errors")
    const [issue] = errors.structured["issues"] as { issueId: string }[]
    const read = await fetch(`${app.url}/api/errors/${issue!.issueId}`)
    const { events } = (await read.json()) as { events: { eventId: string }[] }
    const message = `It broke, with Bearer ${"x1".repeat(20)}`
    const contexts = { feedback: { message, associated_event_id: events[0]!.eventId } }
    const body = ["{}", '{"type":"feedback"}', JSON.stringify({ contexts })].join("\n")
    await fetch(`${app.url}/api/1/envelope/`, { method: "POST", body })
    const text = async () => (await call("get_error", { issueId: issue!.issueId })).text
    await expect.poll(text).toContain("⟦feedback⟧: ⟦message It broke, with ")
    expect(await text()).not.toContain("x1x1")
  })

  test("gets the logs of a trace, with secrets redacted, and an error for an invalid filter", async () => {
    const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })
    const record = {
      timeUnixNano: `${Date.now()}000000`,
      severityNumber: 13,
      body: { kvlistValue: { values: [text("msg", "\u001b[31mslow\u001b[0m"), text("password", "opensesame")] } },
      traceId,
      attributes: [text("authorization", "opensesame"), text("order.id", "o7")],
    }
    const resource = { attributes: [text("service.name", "shop")] }
    await fetch(`${app.url}/v1/logs`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ resourceLogs: [{ resource, scopeLogs: [{ logRecords: [record] }] }] }),
    })
    const lines = async () => (await call("get_logs", { traceId })).text
    await expect
      .poll(lines)
      .toMatch(
        /^1 logs, by time:\n\S+Z warn ⟦shop⟧ ⟦\{"msg":"slow","password":"\[Filtered\]"\}⟧ trace [0-9a-f]{32} span none$/,
      )
    const { structured } = await call("get_logs", { filter: "severity>=warn order.id:o7" })
    expect(structured["logs"]).toMatchObject([{ attributes: { "order.id": "o7", authorization: "[Filtered]" } }])
    expect(JSON.stringify(structured)).not.toContain("opensesame")
    expect(await call("get_logs", { filter: "duration>5ms" })).toMatchObject({ isError: true })
  })

  test("compares two filters, with what is more than chance, and gets an error for an invalid filter", async () => {
    const { text: lines, structured } = await call("compare", { a: "run:seen", b: "run:seen status:error" })
    expect(lines).toMatch(/^Baseline a: 1 traces, .*\n0 routes:\n2 span paths:\n/)
    expect(lines).toMatch(
      /\n⟦GET \/cart⟧ of \S+ > ⟦SELECT items⟧ of \S+: 6× -> 6×, .*failed 1 -> 1 \(too few\), per trace 6 -> 6/,
    )
    expect(structured["spanPaths"]).toMatchObject([{ path: [{ name: "GET /cart" }] }, { a: { count: 6, failed: 1 } }])
    expect(await call("compare", { b: "status:broken" })).toMatchObject({ isError: true })
  })

  test("sees which service calls which, and gets an error for an unknown service or session", async () => {
    const listed = await call("list_services", { filter: "run:seen" })
    const [service] = listed.structured["services"] as { service: string; count: number }[]
    expect(service).toMatchObject({ count: 1 })
    const one = await call("get_service", { service: service!.service })
    expect(one.text).toMatch(/\nOperations:\n {2}⟦GET \/cart⟧: /)
    expect(await call("get_service", { service: "nobody" })).toMatchObject({ isError: true })
    expect(await call("get_session", { sessionId: "nobody" })).toMatchObject({ isError: true })
    expect(await call("list_services", { filter: "status:broken" })).toMatchObject({ isError: true })
  })

  test("asserts budgets, and gets an error that names what is wrong with them", async () => {
    const budgets = { routes: { "/gone": { duration: { p75: "1s" } } }, dropped: { max: 1_000 } }
    const { text, structured } = await call("assert_budget", { budgets, filter: "run:seen" })
    expect(text).toMatch(/^undecided: 0 failed, 1 undecided, 1 passed\.\nundecided: ⟦\/gone⟧ duration p75 not measured/)
    expect(structured).toMatchObject({ verdict: "undecided", counts: { pass: 1 } })
    const wrong = await call("assert_budget", { budgets: { route: {} } })
    expect(wrong).toMatchObject({ isError: true, text: expect.stringContaining("Did you mean routes?") })
    expect(await call("assert_budget", { budgets, filter: "status:broken" })).toMatchObject({ isError: true })
  })

  test("gets dropped data, with reasons", async () => {
    expect((await call("get_drops")).text).toBe("Nothing was dropped.")
    const body = { method: "POST", body: "{", headers: { "content-type": "application/json" } }
    await fetch(`${app.url}/v1/traces`, body)
    await expect.poll(async () => (await call("get_drops")).text).toMatch(/1 × span dropped at ingest: malformed/)
  })

  test.each([
    ["Pagespan's own", () => app.url],
    ["Spotlight's", () => `http://localhost:${spotlightPort}`],
  ])("gets the same answers over HTTP, on %s port", async (_whose, url) => {
    const other = new Client({ name: "test", version: "1" })
    await other.connect(new StreamableHTTPClientTransport(new URL("/mcp", url())) as Transport)
    expect((await other.listTools()).tools).toStrictEqual((await client.listTools()).tools)
    const [issue] = (await call("find_errors")).structured["issues"] as { issueId: string }[]
    for (const [name, given] of [
      ["find_traces", { filter: "run:seen status:error" }],
      ["find_traces", { filter: "status:broken" }],
      ["trace_topology", { traceId }],
      ["get_error", { issueId: issue!.issueId }],
      ["get_logs", { traceId }],
      ["get_logs", { filter: "duration>5ms" }],
      ["compare", { a: "run:seen", b: "run:seen status:error" }],
      ["compare", { b: "status:broken" }],
      ["get_drops", {}],
    ] as const)
      expect(await other.callTool({ name, arguments: given })).toMatchObject({
        content: [{ text: (await call(name, given)).text }],
      })
    await other.close()
  })

  test("from a foreign page, or without a call, is refused", async () => {
    const ask = { method: "POST", body: "{}", headers: { origin: "https://foreign.example" } }
    expect((await fetch(`${app.url}/mcp`, ask)).status).toBe(403)
    expect((await fetch(`${app.url}/mcp`)).status).toBe(405)
  })

  test("gets an error for an unknown span or trace", async () => {
    expect((await call("get_span", { traceId, spanId: "0000000000000001" })).text).toContain("has no span")
    expect(await call("trace_topology", { traceId: "1".repeat(32) })).toMatchObject({ isError: true })
  })
})

test("an agent without an inspector is asked to start one", async () => {
  const alone = await connect("http://localhost:9")
  const { content, isError } = await alone.callTool({ name: "find_traces", arguments: {} })
  expect(isError).toBe(true)
  expect((content as { text: string }[])[0]!.text).toContain("No inspector answers at http://localhost:9")
  await alone.close()
})
