import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { type AppUnderTest, startApp } from "#tests/sdk/browser/app-under-test.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { type Payload, RecordingSentry } from "#tests/support/recording-sentry.ts"
import { sleep, waitFor } from "#tests/support/wait-for.ts"

/** Every place in which an app's server code can fail, in an app that only installs the library. */
let collector: RecordingCollector
let sentry: RecordingSentry
let page: AppUnderTest

beforeAll(async () => {
  sentry = await new RecordingSentry().listen()
  collector = await new RecordingCollector().listen()
  page = await startApp("server", {
    environment: {
      SENTRY_DSN: sentry.dsn,
      SENTRY_RELEASE: "shop@1.2.3",
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_BSP_SCHEDULE_DELAY: "100",
    },
  })
})

afterAll(async () => {
  await page?.stop()
  await sentry?.close()
  await collector?.close()
})

beforeEach(() => {
  sentry.clear()
  collector.clear()
})

/** Sends a request that fails. Returns its only error, and the transaction of the same trace. */
async function failed(message: string, path: string, init?: RequestInit) {
  await (await fetch(`${page.origin}${path}`, { redirect: "manual", ...init })).text()
  const error = await sentry.waitForError(message, (event) => event["exception"].values.at(-1).value === message)
  const transaction = await sentry.waitForTransaction(
    "of the same trace",
    (event) => event["contexts"].trace.trace_id === error["contexts"].trace.trace_id,
  )
  expect(sentry.errors()).toHaveLength(1)
  expect(error["exception"].values.at(-1).mechanism).toMatchObject({
    type: "auto.function.nextjs.on_request_error",
    handled: false,
  })
  expect([error["release"], transaction["release"]]).toEqual(["shop@1.2.3", "shop@1.2.3"])
  expect([error["environment"], transaction["environment"]]).toEqual(["production", "production"])
  return { error, transaction }
}

function spanIds(transaction: Payload): string[] {
  return [transaction["contexts"].trace.span_id, ...transaction["spans"].map((span: Payload) => span["span_id"])]
}

describe("a server error reaches Sentry once, on a span of its request, under its route", () => {
  test("in a route handler", async () => {
    const headers = { referer: "https://shop.example/cart?token=hunter2", "x-request-id": "hunter2" }
    const { error, transaction } = await failed("thrown in a route handler", "/api/fail/plain?token=hunter2", {
      headers,
    })
    expect(error["transaction"]).toBe("GET /api/fail/[kind]")
    expect(error["contexts"].nextjs).toEqual({
      request_path: "/api/fail/plain",
      router_kind: "App Router",
      router_path: "/api/fail/[kind]",
      route_type: "route",
    })
    expect(transaction["transaction"]).toBe("GET /api/fail/[kind]")
    expect(transaction["contexts"].trace.status).toBe("internal_error")
    expect(spanIds(transaction)).toContain(error["contexts"].trace.span_id)
    expect(JSON.stringify(sentry.envelopes())).not.toContain("hunter2")
  })

  test("in a server component, where each of two errors has its own event", async () => {
    const { error } = await failed("thrown for a", "/broken/a")
    expect(error["transaction"]).toBe("GET /broken/[id]")
    expect(error["contexts"].nextjs).toEqual({
      request_path: "/broken/a",
      router_kind: "App Router",
      router_path: "/broken/[id]",
      route_type: "render",
    })
    expect(error["exception"].values[0].mechanism).toEqual({
      type: "auto.function.nextjs.on_request_error",
      handled: false,
    })
    await fetch(`${page.origin}/broken/a`)
    await fetch(`${page.origin}/broken/b`)
    await sentry.waitForError("of the other page", (event) => event["exception"].values.at(-1).value === "thrown for b")
    expect(sentry.errors().map((event) => event["exception"].values.at(-1).value)).toEqual([
      "thrown for a",
      "thrown for a",
      "thrown for b",
    ])
  })

  test("in a server action", async () => {
    const html = await (await fetch(`${page.origin}/action`)).text()
    const id = /name="(\$ACTION_ID_[^"]+)"/.exec(html)?.[1] ?? ""
    const form = new FormData()
    form.set(id, "")
    sentry.clear()
    const { error } = await failed("thrown in a server action", "/action", { method: "POST", body: form })
    expect(error["transaction"]).toBe("POST /action")
    expect(error["contexts"].nextjs).toMatchObject({ router_path: "/action" })
  })

  test("in the proxy", async () => {
    const upstream = `http://127.0.0.1:${sentry.port}/upstream`
    await fetch(`${page.origin}/behind?fail-in-proxy=1&from=${encodeURIComponent(upstream)}`)
    const error = await sentry.waitForError("of the proxy", () => true)
    expect(error["exception"].values.at(-1).value).toBe("thrown in the proxy")
    expect(error["contexts"].nextjs).toMatchObject({ route_type: "proxy" })
    const { trace_id, span_id } = error["contexts"].trace
    const transaction = await sentry.waitForTransaction("of it", ({ contexts }) => contexts.trace.trace_id === trace_id)
    const run = [transaction["contexts"].trace, ...transaction["spans"]].find((span) => span.span_id === span_id)
    expect(run).toMatchObject({ op: "http.server.middleware", status: "internal_error" })
    const upstreamSpan = transaction["spans"].find(({ op }: Payload) => op === "http.client")
    expect(upstreamSpan).toMatchObject({ description: `GET ${upstream}`, status: "ok" })
    expect(error["breadcrumbs"]).toMatchObject([{ category: "http", data: { method: "GET", url: upstream } }])
    await sleep(300)
    expect(sentry.errors()).toHaveLength(1)
  })

  test("in a streamed component, in a route handler's method, and in generateMetadata", async () => {
    const { error: streamed } = await failed("thrown while it streams", "/late/broken")
    expect(streamed["transaction"]).toBe("GET /late/[id]")
    sentry.clear()
    const { error: put } = await failed("thrown on PUT", "/api/say/x?token=hunter2", { method: "PUT" })
    expect(put["transaction"]).toBe("PUT /api/say/[what]")
    expect(put["request"]).toMatchObject({
      method: "PUT",
      url: `${page.origin}/api/say/x`,
      headers: expect.any(Object),
    })
    sentry.clear()
    const { error: titled, transaction } = await failed("thrown for a title", "/titled")
    expect(titled["transaction"]).toBe("GET /titled")
    const metadata = transaction["spans"].find(
      (span: Payload) => span["description"] === "generateMetadata /titled/page",
    )
    expect(metadata).toMatchObject({ op: "function.nextjs", status: "internal_error" })
  })

  test("with the digest that the page shows, once in Sentry and once in OTLP", async () => {
    const { error } = await failed("thrown for c", "/broken/c")
    const digest = error["tags"]["error.digest"]
    expect(digest).toMatch(/^\d+$/)
    const { span_id } = error["contexts"].trace
    const span = await collector.waitForSpan("of the error", ({ spanId }) => spanId === span_id)
    const exceptions = span.events.filter(({ name }) => name === "exception")
    expect(exceptions.map(({ attributes }) => Object.fromEntries(attributes))).toEqual([
      {
        "exception.type": "Error",
        "exception.message": "thrown for c",
        "exception.stacktrace": expect.stringContaining("Error: thrown for c"),
        "error.digest": digest,
      },
    ])
  })

  test("with its cause", async () => {
    const { error } = await failed("outer", "/api/fail/cause")
    expect(error["exception"].values.map(({ type, value }: Payload) => `${type}: ${value}`)).toEqual([
      "TypeError: inner",
      "Error: outer",
    ])
  })

  test("with the members of an AggregateError", async () => {
    const { error } = await failed("both", "/api/fail/aggregate")
    expect(error["exception"].values.map(({ value }: Payload) => value)).toEqual(["two", "one", "both"])
  })

  test("unless it is a redirect", async () => {
    const response = await fetch(`${page.origin}/api/fail/redirect`, { redirect: "manual" })
    expect(response.status).toBe(307)
    await sentry.waitForTransaction("of the redirect", (event) => event["transaction"] === "GET /api/fail/[kind]")
    expect(sentry.errors()).toEqual([])
  })
})

describe("an event that a handler captures itself", () => {
  test("has the transaction and the request of its handler, and does not mark the span as failed", async () => {
    await fetch(`${page.origin}/api/say/exception?token=hunter2`)
    const event = await sentry.waitForError("captured by hand", () => true)
    expect(event).toMatchObject({
      transaction: "GET /api/say/[what]",
      exception: { values: [{ value: "captured by hand", mechanism: { handled: true } }] },
      request: { method: "GET", url: `${page.origin}/api/say/exception` },
    })
    const transaction = await sentry.waitForTransaction("of the request", () => true)
    expect(transaction["contexts"].trace).toMatchObject({
      trace_id: event["contexts"].trace.trace_id,
      op: "http.server",
      status: "ok",
    })
    expect(spanIds(transaction)).toContain(event["contexts"].trace.span_id)
    expect(JSON.stringify(sentry.envelopes())).not.toContain("hunter2")
  })

  test("contains nothing of a concurrent request", async () => {
    await Promise.all(["a", "b", "c"].map((who) => fetch(`${page.origin}/api/say/message?who=${who}`)))
    await waitFor("all three", () => sentry.errors().length === 3)
    expect(sentry.errors().map(({ message, tags }) => [message, tags.who])).toEqual(
      expect.arrayContaining(["a", "b", "c"].map((who) => [`said of ${who}`, who])),
    )
  })

  test("has a request to another server as a breadcrumb, and the transaction has it as a span", async () => {
    const upstream = `http://127.0.0.1:${sentry.port}/upstream`
    await fetch(`${page.origin}/api/say/exception?from=${encodeURIComponent(`${upstream}?token=hunter2`)}`)
    const event = await sentry.waitForError("captured by hand", () => true)
    const data = { method: "GET", url: upstream, status_code: 200 }
    expect(event["breadcrumbs"]).toMatchObject([{ category: "http", type: "http", level: "info", data }])
    const transaction = await sentry.waitForTransaction(
      "of the same trace",
      ({ contexts }) => contexts.trace.trace_id === event["contexts"].trace.trace_id,
    )
    const span = transaction["spans"].find(({ op }: Payload) => op === "http.client")
    expect(span).toMatchObject({
      description: `GET ${upstream}`,
      status: "ok",
      data: { "sentry.name": `fetch GET ${upstream}` },
    })
  })
})

describe("a request", () => {
  test.each([
    ["POST", "/api/say/x", "POST /api/say/[what]", "invalid_argument"],
    ["PATCH", "/api/say/x", "PATCH /api/say/[what]", "unauthenticated"],
    ["GET", "/away/redirect", "GET /away/[how]", "ok"],
    ["GET", "/away/missing", "GET /away/[how]", "not_found"],
    ["GET", "/late/fine", "GET /late/[id]", "ok"],
  ])("%s %s is the transaction %s with status %s, and no error", async (method, path, name, status) => {
    await fetch(`${page.origin}${path}`, { method, redirect: "manual" })
    const transaction = await sentry.waitForTransaction(name, (event) => event["transaction"] === name)
    expect(transaction["contexts"].trace.status).toBe(status)
    expect(sentry.errors()).toEqual([])
  })

  test.each([
    ["redirects", 0, 303, "ok"],
    ["calls notFound", 1, 404, "not_found"],
  ])("of a server action that %s is not marked as failed", async (_, index, answered, status) => {
    const html = await (await fetch(`${page.origin}/steer`)).text()
    const form = new FormData()
    form.set([...html.matchAll(/name="(\$ACTION_ID_[^"]+)"/g)][index]?.[1] ?? "", "")
    const response = await fetch(`${page.origin}/steer`, { method: "POST", body: form, redirect: "manual" })
    expect(response.status).toBe(answered)
    const transaction = await sentry.waitForTransaction("of it", (event) => event["transaction"] === "POST /steer")
    expect(transaction["contexts"].trace.status).toBe(status)
    expect(sentry.errors()).toEqual([])
  })

  test("has the allowed headers, Next's own spans, and no step with the name of the root", async () => {
    await fetch(`${page.origin}/nested/7`, { headers: { accept: "text/html", "x-request-id": "hunter2" } })
    const { contexts, spans } = await sentry.waitForTransaction("of it", () => true)
    expect(contexts.trace.data).toMatchObject({
      "http.request.header.accept": ["text/html"],
      "next.route": "/nested/[param]",
    })
    expect(JSON.stringify(contexts)).not.toContain("hunter2")
    const steps = spans.map(({ description }: Payload) => description)
    expect(steps).toEqual(
      expect.arrayContaining([
        "render route (app) /nested/[param]",
        "build component tree",
        "resolve page components",
        "generateMetadata /nested/[param]/page",
        "generateViewport /nested/[param]/page",
        "start response",
      ]),
    )
    expect(steps).not.toContain("GET /nested/[param]")
  })
})

test("a page behind the proxy makes one trace, in which the proxy's span has Sentry's name", async () => {
  await fetch(`${page.origin}/behind`)
  const transaction = await sentry.waitForTransaction("of the page", (event) => event["transaction"] === "GET /behind")
  const run = await sentry.waitForTransaction("of the proxy", (event) => event["transaction"] === "middleware GET")
  expect(run["transaction_info"]).toEqual({ source: "route" })
  expect(run["contexts"]).toMatchObject({
    runtime: { name: "node" },
    trace: { op: "http.server.middleware", status: "ok" },
  })
  expect(transaction["contexts"].trace.parent_span_id).toBe(run["contexts"].trace.span_id)
  const all = [transaction, ...sentry.transactions()].flatMap((event) => [event["contexts"].trace, ...event["spans"]])
  expect(all.map(({ op }) => op)).toContain("http.server.middleware")
  expect(new Set(all.map(({ trace_id }) => trace_id)).size).toBe(1)
})
