import { expect, test } from "vitest"
import { envelope, errorEvent, item } from "#tests/protocol/sentry/envelopes.ts"
import { startInspector } from "#tests/inspector/ingest/running-inspector.ts"

const body = envelope({ event_id: "ab".repeat(16) }, item("event", errorEvent())) as Uint8Array<ArrayBuffer>

test("every path of Sentry's SDKs is served on both ports, with and without a trailing slash", async () => {
  const running = await startInspector()
  for (const base of [running.url, running.spotlightUrl])
    for (const slash of ["", "/"]) {
      for (const project of ["1", "4507", "my-shop"])
        expect(
          (await fetch(`${base}/api/${project}/envelope${slash}?sentry_key=k`, { method: "POST", body })).status,
        ).toBe(200)
      const event = JSON.stringify(errorEvent())
      expect((await fetch(`${base}/api/1/store${slash}`, { method: "POST", body: event })).status).toBe(200)
      for (const signal of ["traces", "logs"]) {
        const address = `${base}/api/1/integration/otlp/v1/${signal}${slash}`
        const headers = { "content-type": "application/json", "x-sentry-auth": "sentry sentry_key=k" }
        expect((await fetch(address, { method: "POST", headers, body: "{}" })).status).toBe(200)
      }
      expect((await fetch(`${base}/stream`, { method: "POST", body })).status).toBe(200)
    }
})

test("paths that only resemble those of handlers belong to the screens, which accept no body", async () => {
  const running = await startInspector()
  const post = async (path: string) => (await fetch(`${running.url}${path}`, { method: "POST", body })).status
  for (const path of [
    "/api/envelope/",
    "/api/1/2/envelope/",
    "/api/1/envelope/x",
    "/api/1/integration/otlp/v1/metrics",
  ])
    expect(await post(path)).toBe(503)
  expect(await post("/streams")).toBe(405)
})

test("Spotlight's port responds as its sidecar does, and redirects pages to the screens", async () => {
  const { url, spotlightUrl } = await startInspector()
  const health = await fetch(`${spotlightUrl}/health`)
  expect([health.status, await health.text(), health.headers.get("x-powered-by")]).toStrictEqual([
    200,
    "OK",
    "spotlight-by-sentry",
  ])
  expect((await fetch(`${url}/health`)).headers.get("x-powered-by")).toBeNull()
  const stop = new AbortController()
  await fetch(`${spotlightUrl}/stream`, { method: "POST", body })
  const stream = await fetch(`${spotlightUrl}/stream`, { signal: stop.signal })
  const reader = stream.body!.getReader()
  let text = ""
  while (!text.includes("\n\n\n") && !text.includes("data: "))
    text += Buffer.from((await reader.read()).value!).toString()
  stop.abort()
  const id = /^id: (.+)$/m.exec(text)![1]!
  expect(Buffer.from(await (await fetch(`${spotlightUrl}/envelope/${id}`)).arrayBuffer()).equals(body)).toBe(true)
  expect(await (await fetch(`${spotlightUrl}/clear`, { method: "DELETE" })).text()).toBe("Cleared")
  expect((await fetch(`${spotlightUrl}/envelope/${id}`)).status).toBe(404)
  const page = await fetch(`${spotlightUrl}/`, { redirect: "manual" })
  expect([page.status, page.headers.get("location")]).toStrictEqual([302, `${url}/`])
})
