import { expect, onTestFinished, test } from "vitest"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { startInspector } from "#tests/inspector/ingest/running-inspector.ts"

const TRACE_ID = "f".repeat(32)

test("accepted records are forwarded to the configured collector and Sentry project", async () => {
  const collector = await new RecordingCollector().listen()
  const sentry = await new RecordingSentry().listen()
  onTestFinished(async () => {
    await collector.close()
    await sentry.close()
  })
  const running = await startInspector({
    PAGESPAN_FORWARD_OTLP: collector.endpoint,
    PAGESPAN_FORWARD_SENTRY: sentry.dsn,
    PAGESPAN_FORWARD_ALLOWED_ADDRESSES: "127.0.0.1",
  })
  const now = BigInt(Date.now()) * 1_000_000n
  const span = {
    traceId: TRACE_ID,
    spanId: "a".repeat(16),
    name: "on",
    startTimeUnixNano: `${now}`,
    endTimeUnixNano: `${now + 9n}`,
  }
  await fetch(`${running.url}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }),
  })
  const log = { timeUnixNano: `${now}`, observedTimeUnixNano: `${now + 1n}`, body: { stringValue: "on" }, flags: 1 }
  const logs = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: [log] }] }] })
  await fetch(`${running.url}/v1/logs`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: logs,
  })
  const eventId = "e".repeat(32)
  await fetch(`${running.url}/api/1/envelope/`, {
    method: "POST",
    body: `{"event_id":"${eventId}"}\n{"type":"event"}\n{"event_id":"${eventId}","message":"forwarded"}\n`,
  })
  const forwarded = await collector.waitForSpan("forwarded", ({ name }) => name === "on")
  expect(forwarded).toMatchObject({ traceId: TRACE_ID, startTime: now, endTime: now + 9n })
  for (const { requests } of [collector, sentry]) {
    const request = await waitFor("the logs", () => requests.find(({ path }) => /\/v1\/logs\/?$/.test(path)))
    expect(request.body.toString()).toBe(logs)
  }
  const event = await sentry.waitForError("forwarded", ({ message }) => message === "forwarded")
  expect(event["event_id"]).toBe(eventId)
})
