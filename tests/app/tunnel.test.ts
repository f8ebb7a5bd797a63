import { type ChildProcess, spawn } from "node:child_process"
import { mkdtemp } from "node:fs/promises"
import { type IncomingHttpHeaders, request as httpRequest } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { PAGE_BODY_LIMIT_BYTES } from "#otel/protocol/limits.ts"
import { freePort } from "#tests/support/free-port.ts"
import { removeDirectory } from "#tests/support/remove-directory.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"
import { cleanEnvironment } from "#tests/support/running-app.ts"
import { waitFor } from "#tests/support/wait-for.ts"

/**
 * The tunnel of a server that is also the inspector, under `next start`, with a token. `PAGESPAN_TRUSTED_PROXIES` is 0, so
 * that a client is the address of its socket.
 */

const TOKEN = "correcthorsebatterystaple"
const SETTINGS = { "content-type": "application/vnd.pagespan.settings+json" }
const JSON_TYPE = { "content-type": "application/json" }
let directory: string
let port: number
let next: ChildProcess
let exited: Promise<number | null>
let sentry: RecordingSentry
let collector: RecordingCollector
let cookie: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "pagespan-test-"))
  port = await freePort()
  sentry = await new RecordingSentry().listen()
  collector = await new RecordingCollector().listen()
  next = spawn(process.execPath, ["node_modules/next/dist/bin/next", "start", "-p", String(port), "-H", "127.0.0.1"], {
    env: {
      ...cleanEnvironment(),
      PAGESPAN_DATA: directory,
      PAGESPAN_TOKEN: TOKEN,
      PAGESPAN_TRUSTED_PROXIES: "0",
      SENTRY_DSN: sentry.dsn,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      NEXT_TELEMETRY_DISABLED: "1",
    } as unknown as NodeJS.ProcessEnv,
    stdio: "ignore",
  })
  exited = new Promise((resolve) => next.once("exit", resolve))
  await waitFor("health", async () => (await send("GET", "/health").catch(() => undefined))?.status === 200, 60_000)
  const body = new URLSearchParams({ token: TOKEN, next: "/" }).toString()
  const form = { "content-type": "application/x-www-form-urlencoded" }
  const signedIn = await send("POST", "/sign-in", { headers: form, body })
  cookie = signedIn.headers["set-cookie"]?.[0]?.split(";", 1)[0] ?? ""
})

beforeEach(() => {
  sentry.clear()
  collector.clear()
})

afterAll(async () => {
  next.kill("SIGTERM")
  await exited
  await Promise.all([sentry.close(), collector.close()])
  await removeDirectory(directory)
})

interface Sent {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** With `node:http`, since `fetch` does not let a caller choose the address that it connects from. */
function send(
  method: string,
  path: string,
  { headers = {}, body = "", from = "127.0.0.1" }: { headers?: object; body?: string; from?: string } = {},
): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const all = { host: `127.0.0.1:${port}`, ...headers }
    const request = httpRequest(
      { port, host: "127.0.0.1", localAddress: from, method, path, headers: all },
      (response) => {
        let text = ""
        response.on("data", (chunk: Buffer) => (text += chunk.toString()))
        response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
      },
    )
    request.on("error", reject).end(body)
  })
}

function spans(traceId: string): string {
  const now = BigInt(Date.now()) * 1_000_000n
  const span = {
    traceId,
    spanId: "d".repeat(16),
    name: "x",
    kind: 2,
    startTimeUnixNano: `${now}`,
    endTimeUnixNano: `${now + 1n}`,
  }
  const resource = { attributes: [{ key: "service.name", value: { stringValue: "payments-api" } }] }
  return JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] })
}

function stored(traceId: string): Promise<Sent> {
  return send("GET", `/api/traces/${traceId}`, { headers: { authorization: `Bearer ${TOKEN}` } })
}

describe("the tunnel of an inspector with a token", () => {
  test("accepts no span, no envelope and no request for settings without it", async () => {
    const traceId = "a".repeat(32)
    const spansRefused = await send("POST", "/monitoring", { headers: JSON_TYPE, body: spans(traceId) })
    const envelopeRefused = await send("POST", "/monitoring", { body: '{}\n{"type":"event"}\n{"message":"boom"}' })
    const settingsRefused = await send("POST", "/monitoring", { headers: SETTINGS })
    const wrong = { ...JSON_TYPE, cookie: `pagespan_session=${"0".repeat(64)}` }
    const cookieRefused = await send("POST", "/monitoring", { headers: wrong, body: spans(traceId) })
    const refused = [spansRefused, envelopeRefused, settingsRefused, cookieRefused]
    expect(refused.map(({ status }) => status)).toEqual([401, 401, 401, 401])
    // What is sent later with the token is there, and nothing of this.
    const later = "b".repeat(32)
    await send("POST", "/monitoring", { headers: { ...JSON_TYPE, cookie }, body: spans(later) })
    await waitFor("the later trace", async () => (await stored(later)).status === 200)
    await collector.waitForSpan("of the later trace", (span) => span.traceId === later)
    expect((await stored(traceId)).status).toBe(404)
    expect(collector.spans().map((span) => span.traceId)).not.toContain(traceId)
    expect(sentry.errors()).toEqual([])
    const health = JSON.parse((await send("GET", "/health")).text) as { dropped: Record<string, number> }
    expect(health.dropped["unauthorized"]).toBeGreaterThanOrEqual(4)
  })

  test("accepts spans of a signed-in page, and marks them as sent by a page", async () => {
    const traceId = "c".repeat(32)
    const settings = await send("POST", "/monitoring", { headers: { ...SETTINGS, cookie } })
    expect([settings.status, JSON.parse(settings.text)]).toMatchObject([200, { service: "pagespan-browser" }])
    expect(
      (await send("POST", "/monitoring", { headers: { ...JSON_TYPE, cookie }, body: spans(traceId) })).status,
    ).toBe(204)
    await waitFor("the trace", async () => (await stored(traceId)).status === 200)
    const { resourceSpans } = JSON.parse((await stored(traceId)).text)
    const attributes = resourceSpans[0].resource.attributes.map(
      (each: { key: string; value: { stringValue: string } }) => [each.key, each.value.stringValue],
    )
    expect(Object.fromEntries(attributes)).toMatchObject({
      "service.name": "pagespan-browser",
      "pagespan.sender": "page",
    })
    expect(resourceSpans[0].scopeSpans[0].spans[0].kind).toBe(1)
    const envelope = '{}\n{"type":"event"}\n{"message":"boom"}'
    expect((await send("POST", "/monitoring", { headers: { cookie }, body: envelope })).status).toBe(204)
    await sentry.waitForError("of the page", ({ message }) => message === "boom")
  })
})

test("a client past its budget is refused whatever X-Forwarded-For it sends, and another address is served", async () => {
  const post = (from: string, count: number, headers: object, body = "") =>
    send("POST", "/monitoring", {
      headers: { ...headers, cookie, "x-forwarded-for": `203.0.113.${count}` },
      body,
      from,
    })
  const largest = '{"resourceSpans":[]}'.padEnd(PAGE_BODY_LIMIT_BYTES.spans)
  let refused: Sent | undefined
  // Ten of them use up the budget of bytes. It recovers meanwhile, so that some more pass.
  for (let count = 0; count < 250 && refused === undefined; count++) {
    const answer = await post("127.0.0.2", count, JSON_TYPE, largest)
    if (answer.status !== 204) refused = answer
  }
  expect(refused?.status).toBe(429)
  expect(Number(refused?.headers["retry-after"])).toBeGreaterThanOrEqual(1)
  expect((await post("127.0.0.3", 0, SETTINGS)).status).toBe(200)
})
