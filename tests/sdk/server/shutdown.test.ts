import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest"
import { type AppUnderTest, startApp } from "#tests/sdk/browser/app-under-test.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { waitFor } from "#tests/support/wait-for.ts"

/** 128 and the number of SIGTERM: what a shell reports of a process that a signal ended. */
const EXIT_CODE = 143

let collector: RecordingCollector
let app: AppUnderTest

beforeAll(async () => {
  collector = await new RecordingCollector().listen()
})

afterAll(() => collector?.close())

beforeEach(async () => {
  app = await startApp("server", { environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint } })
  collector.clear()
  return async () => void (await app.stop())
})

const request = async (path: string) =>
  (await fetch(`${app.origin}${path}`, { headers: { connection: "close" } })).text()
const names = () => collector.spans().map(({ name }) => name)

/** A server whose responses wait until the test calls `answer`. */
async function slowServer() {
  const waiting: ServerResponse[] = []
  const server = createServer((_, response) => void waiting.push(response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, waiting, answer: () => waiting.forEach((response) => response.end()) }
}

describe("next start, stopped by SIGTERM", () => {
  test("exports the spans of the last requests before it exits", async () => {
    await request("/dynamic")
    expect(await app.stop()).toBe(EXIT_CODE)
    expect(names()).toContain("GET /dynamic")
  })

  test("answers an open request, and exports its spans too", async () => {
    const slow = await slowServer()
    const response = request(`/api/say/hello?from=${slow.origin}`)
    await waitFor("the request to be open", () => slow.waiting.length === 1)
    const stopped = app.stop()
    await sleep(200)
    slow.answer()
    expect(await response).toBe("{}")
    expect(await stopped).toBe(EXIT_CODE)
    expect(names()).toContain("GET /api/say/[what]")
  })
})
