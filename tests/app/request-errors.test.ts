import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { type AppUnderTest, startApp } from "#tests/sdk/browser/app-under-test.ts"
import { CACHED } from "#tests/sdk/browser/cases/builds.ts"
import { type Payload, RecordingSentry } from "#tests/support/recording-sentry.ts"
import { sleep } from "#tests/support/wait-for.ts"
import { REQUEST_ERROR_CASES } from "./request-error-cases.ts"

/**
 * The cases of Next's own suites of `onRequestError` that `server-errors.test.ts` does not have: both runtimes and both routers,
 * client components, pages that are generated again with and without Cache Components, and what is no error although Next
 * throws it.
 */

let sentry: RecordingSentry
const apps = new Map<string, AppUnderTest>()

beforeAll(async () => {
  sentry = await new RecordingSentry().listen()
  const environment = { SENTRY_DSN: sentry.dsn }
  for (const name of ["server", "hybrid"]) apps.set(name, await startApp(name, { environment }))
  apps.set("cached", await startApp("routes", { environment, variant: CACHED.variant }))
})

afterAll(async () => {
  for (const app of apps.values()) await app.stop()
  await sentry?.close()
})

beforeEach(() => sentry.clear())

/** As long as an error that must not arrive has to arrive. */
const QUIET_MS = 400

const request = async (app: string, path: string, init?: RequestInit) => {
  const response = await fetch(`${apps.get(app)!.origin}${path}`, { redirect: "manual", ...init })
  return { status: response.status, html: await response.text() }
}

/** By OpenTelemetry's resource, since a Sentry event has no field for it. */
function serviceOf({ contexts }: Payload): unknown {
  return contexts.otel?.resource["service.name"]
}

describe("an error is sent once, under its route and service, on a span of its request:", () => {
  test.each(REQUEST_ERROR_CASES)(
    "$what",
    async ({ app, path, message, transaction, root: rootName = transaction, context, isOfEdge, ask }) => {
      const traceId = randomBytes(16).toString("hex")
      const headers: Record<string, string> = isOfEdge ? { "sentry-trace": `${traceId}-00f067aa0ba902b7-1` } : {}
      const send = (to: string, init?: RequestInit) => request(app, to, init)
      await (ask?.(send, path, headers) ?? send(path, { headers }))
      const has = (event: Payload) => event["exception"]?.values.at(-1).value === message
      const error = await sentry.waitForError(message, has)
      const { trace_id, span_id } = error["contexts"].trace
      const root = await sentry.waitForTransaction(
        "of its request",
        ({ contexts, spans }) =>
          contexts.trace.trace_id === trace_id &&
          (isOfEdge || [contexts.trace, ...spans].some((span: Payload) => span["span_id"] === span_id)),
      )
      await sleep(QUIET_MS)
      expect(sentry.errors().filter(has)).toHaveLength(1)
      expect([error["transaction"], root["transaction"]]).toEqual([transaction, rootName])
      expect(serviceOf(error)).toBe(serviceOf(root))
      const [router_kind, router_path, route_type] = context
      expect(error["contexts"].nextjs).toEqual({
        request_path: path.split("?")[0],
        router_kind,
        router_path,
        route_type,
      })
      expect(JSON.stringify(sentry.envelopes())).not.toContain("hunter2")
    },
  )
})

test.each([
  ["a page", "/edge/fine", "GET /edge/[what]", "<h1>edge fine</h1>"],
  ["the data of a page", "/_next/data/{build}/edge/fine.json?what=fine", "GET /edge/[what]", '{"what":"fine"}'],
  ["an API route", "/api/edge/fine", "GET /api/edge/[id]", '{"id":"fine"}'],
])("%s of pages/ at the edge is served as it is, in a request named by its route", async (_, path, name, text) => {
  const build = readFileSync("tests/pages/hybrid/.next/BUILD_ID", "utf8")
  const traceId = randomBytes(16).toString("hex")
  const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` }
  const { status, html } = await request("hybrid", path.replace("{build}", build), { headers })
  expect([status, html]).toEqual([200, expect.stringContaining(text)])
  const root = await sentry.waitForTransaction("of it", ({ contexts }) => contexts.trace.trace_id === traceId)
  expect([root["transaction"], root["contexts"].trace.status]).toEqual([name, "ok"])
  await sleep(QUIET_MS)
  expect([sentry.transactions(), sentry.errors()]).toEqual([[root], []])
})

describe("what Next throws for its own ends is no error:", () => {
  test.each([
    ["redirect() of a client component", "/client/redirect", 307],
    ["notFound() of a client component", "/client/missing", 404],
    ["forbidden() of a client component", "/client/forbidden", 403],
    ["a component that only the browser renders", "/client/browser", 200],
    ["forbidden() of a server component", "/away/forbidden", 403],
    ["a fetch that makes a page dynamic", "/dynamic", 200],
    ["notFound() of a route handler", "/api/fail/missing", 404],
    ["forbidden() of a route handler", "/api/fail/forbidden", 403],
  ])("%s", async (_, path, status) => {
    const response = await request("server", path)
    expect(response.status).toBe(status)
    await sentry.waitForTransaction("of it", () => true)
    await sleep(QUIET_MS)
    expect(sentry.errors()).toEqual([])
  })

  test("a visitor who leaves while the page streams", async () => {
    const leaves = new AbortController()
    const { body } = await fetch(`${apps.get("server")!.origin}/hang`, {
      headers: { RSC: "1" },
      signal: leaves.signal,
    })
    const { value } = await body!.getReader().read()
    expect(new TextDecoder().decode(value).length).toBeGreaterThan(0)
    leaves.abort()
    await request("server", "/api/fail/plain")
    await sentry.waitForError("of the next request", () => true)
    await sleep(QUIET_MS)
    expect(sentry.errors().map(({ exception }) => exception.values.at(-1).value)).toEqual(["thrown in a route handler"])
  })
})
