import { expect, test } from "vitest"
import { envelope, errorEvent, item } from "#tests/protocol/sentry/envelopes.ts"
import { openHouse } from "./running-inspector.ts"

const body = envelope({ event_id: "ab".repeat(16) }, item("event", errorEvent())) as Uint8Array<ArrayBuffer>

test("every path of Sentry's SDKs is open on both ports, with and without the last slash", async () => {
  const house = await openHouse()
  for (const base of [house.url, house.spotlightUrl])
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

test("paths that only look like handlers are the screens', which take no body", async () => {
  const house = await openHouse()
  const post = async (path: string) => (await fetch(`${house.url}${path}`, { method: "POST", body })).status
  for (const path of [
    "/api/envelope/",
    "/api/1/2/envelope/",
    "/api/1/envelope/x",
    "/api/1/integration/otlp/v1/metrics",
  ])
    expect(await post(path)).toBe(503)
  expect(await post("/streams")).toBe(405)
})

test("Spotlight's port answers as its sidecar does, and sends pages to the screens", async () => {
  const { url, spotlightUrl } = await openHouse()
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
