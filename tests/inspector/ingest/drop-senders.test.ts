import { expect, onTestFinished, test } from "vitest"
import { fromMilliseconds } from "#otel/protocol/records/time.ts"
import { SentryUpstream } from "#otel/sdk/tunnel/sentry-upstream.ts"
import { localInspector, setLocalInspector } from "#otel/sdk/server/local-inspector.ts"
import { span } from "#tests/protocol/otlp/requests.ts"
import { envelope, item } from "#tests/protocol/sentry/envelopes.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { startInspector } from "./running-inspector.ts"

interface Listed {
  readonly stage: string
  readonly sender: string
  readonly count: number
}

test("what this process's server, bridge and tunnel dropped is measured, and nobody else can add to it", async () => {
  const { inspector, url, read } = await startInspector({ PAGESPAN_SELF: "on" })
  onTestFinished(() => setLocalInspector(undefined))
  const drop = { reason: "ratelimit_backoff", category: "span", sample: "" } as const
  const time = fromMilliseconds(Date.now())
  for (const stage of ["page", "server", "bridge", "tunnel"] as const)
    localInspector()!.drop({ ...drop, time, stage, count: 2 })
  const discarded_events = [{ reason: "ratelimit_backoff", category: "span", quantity: 1_000_000_000 }]
  const body = envelope({}, item("client_report", { discarded_events })) as Uint8Array<ArrayBuffer>
  for (const headers of [{}, { origin: "http://localhost:3000" }])
    expect((await fetch(`${url}/api/1/envelope/?sentry_key=any`, { method: "POST", headers, body })).status).toBe(200)
  const dropped = await waitFor("the drops", async () => {
    const list = ((await read("/api/dropped")) as { dropped: Listed[] }).dropped
    return list.length >= 6 && list
  })
  const senders = dropped.map(({ stage, sender, count }) => `${stage} ${sender} ${count}`).sort()
  expect(senders).toStrictEqual([
    "bridge inspector 2",
    "page client 1000000000",
    "page client 2",
    "server client 1000000000",
    "server inspector 2",
    "tunnel inspector 2",
  ])
  expect(inspector.health().dropped).toStrictEqual({ ratelimit_backoff: 6 })
})

test("a drop says which service, SDK or page the data came from", async () => {
  const { url, read } = await startInspector()
  const post = (path: string, headers: Record<string, string>, body: BodyInit) =>
    fetch(url + path, { method: "POST", headers, body })
  const resource = { attributes: [{ key: "service.name", value: { stringValue: "shop" } }] }
  // Not older than the retention, which would add a drop of its own.
  const now = String(fromMilliseconds(Date.now()))
  const times = { startTimeUnixNano: now, endTimeUnixNano: now }
  const spans = [span(times), span({ ...times, spanId: "00".repeat(8) })]
  const traces = JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] })
  const collector = "OpenTelemetry Collector Contrib/0.114.0"
  const json = { "content-type": "application/json", "user-agent": `${collector} (linux/amd64)` }
  expect((await post("/v1/traces", json, traces)).status).toBe(200)
  expect((await post("/v1/traces", json, "{")).status).toBe(400)
  const broken = envelope({}, item("transaction", "{broken")) as Uint8Array<ArrayBuffer>
  await post("/api/1/envelope/?sentry_key=any&sentry_client=sentry.javascript.nextjs%2F11.0.0", {}, broken)
  await post("/api/1/envelope/?sentry_key=any", { origin: "http://localhost:3000" }, broken)
  const dropped = await waitFor("the drops", async () => {
    const list = ((await read("/api/dropped")) as { dropped: { reason: string; sample: string }[] }).dropped
    return list.length >= 4 && list
  })
  const named = dropped.map(({ reason, sample }) => `${reason} · ${sample.split(" · ").at(-1) ?? ""}`).sort()
  expect(named).toStrictEqual([
    "invalid · from shop",
    `malformed · from ${collector}`,
    "malformed · from http://localhost:3000",
    "malformed · from sentry.javascript.nextjs/11.0.0",
  ])
})

test("what a page reports as dropped through the tunnel of its app is the page's, and from the SDK of the page", async () => {
  const { url, read } = await startInspector()
  const upstream = new SentryUpstream(url.replace("://", "://any@") + "/1")
  const discarded_events = [{ reason: "queue_overflow", category: "error", quantity: 3 }]
  const body = envelope({}, item("client_report", { discarded_events }))
  expect((await upstream.post(body, undefined)).status).toBe(200)
  const [drop] = await waitFor("the drop", async () => {
    const { dropped } = (await read("/api/dropped")) as { dropped: (Listed & { sample: string })[] }
    return dropped.length > 0 && dropped
  })
  expect(drop).toMatchObject({ stage: "page", sender: "client", count: 3 })
  expect(drop!.sample).toMatch(/from sentry\.javascript\.browser\/\d/)
})
