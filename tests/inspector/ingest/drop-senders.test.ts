import { expect, onTestFinished, test } from "vitest"
import { fromMilliseconds } from "#otel/protocol/records/time.ts"
import { localInspector, setLocalInspector } from "#otel/sdk/server/local-inspector.ts"
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
    return list.length === 5 && list
  })
  const senders = dropped.map(({ stage, sender, count }) => `${stage} ${sender} ${count}`).sort()
  expect(senders).toStrictEqual([
    "bridge inspector 2",
    "page client 1000000002",
    "server client 1000000000",
    "server inspector 2",
    "tunnel inspector 2",
  ])
  expect(inspector.health().dropped).toStrictEqual({ ratelimit_backoff: 6 })
})
