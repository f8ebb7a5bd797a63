import { expect, test } from "vitest"
import { listDropped } from "#otel/inspector/api/dropped.ts"
import { listErrors } from "#otel/inspector/api/errors.ts"
import { listItems } from "#otel/inspector/api/items.ts"
import { listLogs, listTraceLogs } from "#otel/inspector/api/logs.ts"
import { listTraces } from "#otel/inspector/api/traces.ts"
import type { Inspector } from "#otel/inspector/inspector.ts"
import { startInspector, startWithoutStore } from "#tests/inspector/ingest/running-inspector.ts"

type List = (inspector: Inspector, request: Request) => Promise<Response>

const TRACE_ID = "ab".repeat(16)
const LISTS: Readonly<Record<string, List>> = {
  "/api/traces": listTraces,
  "/api/traces?sort=duration": listTraces,
  "/api/logs": listLogs,
  [`/api/traces/${TRACE_ID}/logs`]: (inspector, request) => listTraceLogs(inspector, request, TRACE_ID),
  "/api/errors": listErrors,
  "/api/errors?sort=count": listErrors,
  "/api/items": listItems,
  "/api/dropped": listDropped,
}

function get(inspector: Inspector, path: string, after: string): Promise<Response> {
  const url = new URL(path, "http://localhost")
  url.searchParams.set("after", after)
  return LISTS[path]!(inspector, new Request(url, { headers: { host: "localhost" } }))
}

const encoded = (text: string) => Buffer.from(text).toString("base64url")

/** What no page of a list answers as `next`. */
const BROKEN = ["abc", "%00", encoded("12"), encoded(`12.${"a".repeat(31)}`), encoded(`-1.${"a".repeat(32)}`)]

test.each(Object.keys(LISTS))(
  "%s refuses a broken cursor with 400 and its name, since the first page again would repeat forever",
  async (path) => {
    const { inspector } = await startWithoutStore()
    for (const after of BROKEN) {
      const response = await get(inspector, path, after)
      expect([after, response.status]).toStrictEqual([after, 400])
      expect(await response.json()).toStrictEqual({
        message: expect.stringMatching(/^after is ".+", which is not next of a page of this list in this order$/),
      })
    }
  },
)

/** Two records of each kind, so that a page of one has a next page. */
async function sendTwoOfEach(url: string): Promise<void> {
  const now = BigInt(Date.now()) * 1_000_000n
  const resource = { attributes: [{ key: "service.name", value: { stringValue: "shop" } }] }
  const spans = [1, 2].map((number) => ({
    traceId: String(number).repeat(32),
    spanId: String(number).repeat(16),
    name: `GET /${number}`,
    kind: 2,
    startTimeUnixNano: String(now),
    endTimeUnixNano: String(now + 5_000_000n),
    events: [{ name: "exception", timeUnixNano: String(now), attributes: [exceptionType(`Error${number}`)] }],
  }))
  const logRecords = [1, 2].map((number) => ({ timeUnixNano: String(now), body: { stringValue: `log ${number}` } }))
  const post = async (path: string, body: unknown, type = "application/json") =>
    fetch(url + path, {
      method: "POST",
      headers: { "content-type": type },
      body: typeof body === "string" ? body : JSON.stringify(body),
    })
  await post("/v1/traces", { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] })
  await post("/v1/logs", { resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] })
  const checkIn = (number: number) => `{"type":"check_in"}\n{"check_in_id":"${number}","status":"ok"}\n`
  await post("/api/1/envelope/", `{}\n${checkIn(1)}${checkIn(2)}`, "application/x-sentry-envelope")
  await post("/v1/traces", "{")
  await post("/v1/logs", "{")
}

function exceptionType(type: string) {
  return { key: "exception.type", value: { stringValue: type } }
}

test("a list goes on behind its own cursor alone, and refuses that of another list or order", async () => {
  const { inspector, url } = await startInspector()
  await sendTwoOfEach(url)
  await inspector.receiver.drops.flush()
  const next = new Map<string, string>()
  for (const path of Object.keys(LISTS).filter((each) => !each.endsWith("/logs") || each === "/api/logs")) {
    const address = new URL(path, "http://localhost")
    address.searchParams.set("limit", "1")
    const cursor = async () => {
      const response = await LISTS[path]!(inspector, new Request(address, { headers: { host: "localhost" } }))
      return ((await response.json()) as { next: string | null }).next
    }
    await expect.poll(cursor, { timeout: 10_000, message: path }).toEqual(expect.any(String))
    next.set(path, (await cursor())!)
  }
  for (const [from, after] of next)
    for (const path of next.keys()) {
      const { status } = await get(inspector, path, after)
      expect([path, from, status]).toStrictEqual([path, from, path === from ? 200 : 400])
    }
})
