import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { expect, onTestFinished, test } from "vitest"
import type { Json } from "#tests/protocol/sentry/envelopes.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { startInspector, type RunningInspector } from "#tests/inspector/ingest/running-inspector.ts"

const PROGRAM = fileURLToPath(new URL("sentry-program.ts", import.meta.url))

async function runProgram(...parameters: readonly string[]): Promise<void> {
  const environment = Object.entries(process.env).filter(([name]) => !/^(?:SENTRY_|OTEL_|VITEST|NODE_)/.test(name))
  const child = spawn(process.execPath, ["--import", "tsx", PROGRAM, ...parameters], {
    stdio: ["ignore", "ignore", "inherit"],
    env: Object.fromEntries(environment) as unknown as NodeJS.ProcessEnv,
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  const [code] = await once(child, "exit")
  expect(code).toBe(0)
}

/** The trace, its issue and its logs, once they are stored. */
async function storedRecords({ read, inspector }: RunningInspector) {
  const trace = await waitFor("the trace", async () => {
    const { traces } = await read("/api/traces")
    return traces.find(
      ({ name, spanCount }: { name: string; spanCount: number }) => name === "checkout" && spanCount === 2,
    )
  })
  const [summary] = await waitFor("the issue", async () => {
    const { issues } = await read("/api/errors")
    return issues.length > 0 && issues
  })
  const { resourceSpans } = await read(`/api/traces/${trace.traceId}`)
  const spans = resourceSpans.flatMap(({ scopeSpans, resource }: Json) =>
    scopeSpans.flatMap((scope: Json) => scope.spans.map((span: Json) => ({ ...span, resource }))),
  )
  const logs = await waitFor("the log", async () => {
    const { logs: found } = await inspector.queries.logs({ traceId: trace.traceId, limit: 10 })
    return found.length > 0 && found
  })
  return { trace, summary, spans, logs, issue: await read(`/api/errors/${summary.issueId}`) }
}

/** Expects the other envelope items that the SDK sends. Sessions are ignored, since not every version sends them. */
async function expectItems(running: RunningInspector, eventId: string, way: string): Promise<void> {
  // Without a DSN the SDK sends no check-ins.
  const checkIns = way === "dsn" ? ["check_in", "check_in"] : []
  const items: Json[] = await waitFor("the items", async () => {
    const all = [...(await running.read("/api/items")).items].filter(({ type }: Json) => !type.startsWith("session"))
    return all.length === 2 + checkIns.length && all
  })
  const ofType = (type: string) => items.filter((item) => item.type === type)
  expect(items.map(({ type }) => type).toSorted()).toStrictEqual(["attachment", ...checkIns, "feedback"])
  const checks = ofType("check_in").map(({ facts: [monitor, status, duration] }) => [
    monitor[1],
    status[1],
    duration[1],
  ])
  expect(checks.toSorted()).toMatchObject(
    checkIns.length === 0
      ? []
      : [
          ["nightly", "in_progress", expect.anything()],
          ["nightly", "ok", "1.5 s"],
        ],
  )
  const [feedback] = ofType("feedback")
  expect(feedback.facts).toEqual(
    expect.arrayContaining([
      ["message", "It broke"],
      ["name", "Jo"],
      ["contact", "jo@shop.test"],
    ]),
  )
  const [attachment] = ofType("attachment")
  expect(attachment).toMatchObject({
    eventId,
    fileName: "cart.bin",
    contentType: "application/x-cart",
    byteLength: 256,
  })
  const bytes = Buffer.from(await (await running.download(attachment.itemId)).arrayBuffer())
  expect([...bytes]).toStrictEqual(Array.from({ length: 256 }, (_, byte) => byte))
  const { items: ofEvent } = await running.read(`/api/items?event=${eventId}`)
  expect(ofEvent.map(({ type }: Json) => type).toSorted()).toStrictEqual(["attachment", "event", "feedback"])
  const event = ofEvent.find(({ type }: Json) => type === "event")
  expect(await (await running.download(event.itemId)).json()).toMatchObject({
    event_id: eventId,
    exception: { values: [{ value: "row 12 is gone" }, { value: "no such cart" }] },
  })
}

test.each([
  ["11", "a DSN, streamed spans", "dsn", "stream"],
  ["11", "a DSN, transactions", "dsn", "static"],
  ["11", "spotlight, streamed spans", "spotlight", "stream"],
  ["11", "spotlight, transactions", "spotlight", "static"],
  ["10", "a DSN, streamed spans", "dsn", "stream"],
  ["10", "a DSN, transactions", "dsn", "static"],
  ["10", "spotlight, transactions", "spotlight", "static"],
])(
  "what version %s of Sentry's Node SDK sends with %s is stored: spans, error and log of one trace",
  async (major, _name, way, lifecycle) => {
    const running = await startInspector()
    const dsn = way === "dsn" ? `http://any@127.0.0.1:${running.port}/42` : "-"
    await runProgram(dsn, way === "dsn" ? "-" : `${running.spotlightUrl}/stream`, lifecycle, major)
    const { trace, spans, issue, summary, logs } = await storedRecords(running)
    expect(trace).toMatchObject({ name: "checkout", sources: ["sentry"], spanCount: 2 })
    const root = spans.find(({ name }: { name: string }) => name === "checkout")
    const child = spans.find(({ name }: { name: string }) => name === "SELECT 1")
    expect(child).toMatchObject({ parentSpanId: root.spanId, kind: 3 })
    expect(child.attributes).toEqual(
      expect.arrayContaining([
        { key: "rows", value: { intValue: "3" } },
        { key: "ratio", value: { doubleValue: 0.5 } },
        { key: "cached", value: { boolValue: false } },
        { key: "sentry.op", value: { stringValue: "db.query" } },
      ]),
    )
    expect(root.resource.attributes).toEqual(
      expect.arrayContaining([
        { key: "deployment.environment.name", value: { stringValue: "test" } },
        { key: "service.version", value: { stringValue: "1.2.3" } },
      ]),
    )
    expect(summary).toMatchObject({ title: "TypeError: no such cart", count: 1, lastTraceId: trace.traceId })
    expect(issue.events).toMatchObject([
      {
        traceId: trace.traceId,
        spanId: root.spanId,
        environment: "test",
        release: "1.2.3",
        tags: [{ key: "area", value: { stringValue: "checkout" } }],
        exceptions: [
          { type: "TypeError", value: "no such cart" },
          { type: "Error", value: "row 12 is gone" },
        ],
      },
    ])
    expect(issue.events[0].exceptions[0].frames.at(-1)).toMatchObject({ function: "pay", inApp: true })
    expect(logs).toMatchObject([{ body: "cart is slow", severityText: "warn", spanId: root.spanId }])
    await expectItems(running, issue.events[0].eventId, way)
    await running.inspector.receiver.drops.flush()
    expect((await running.read("/api/dropped")).dropped).toStrictEqual([])
  },
)
