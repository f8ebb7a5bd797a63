import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { type AppUnderTest, startApp } from "#tests/sdk/browser/app-under-test.ts"
import { type Payload, RecordingSentry } from "#tests/support/recording-sentry.ts"
import { waitFor } from "#tests/support/wait-for.ts"

/** What a server records and propagates if it is configured: headers, forms, and the trace of its own requests. */

let sentry: RecordingSentry
let page: AppUnderTest

beforeAll(async () => {
  sentry = await new RecordingSentry().listen()
  page = await startApp("server", {
    environment: {
      SENTRY_DSN: sentry.dsn,
      PAGESPAN_REQUEST_HEADERS: "X-Yeet, x-api-key",
    },
  })
})

afterAll(async () => {
  await page?.stop()
  await sentry?.close()
})

beforeEach(() => sentry.clear())

const named = (name: string) => sentry.waitForTransaction(name, (event) => event["transaction"] === name)

describe("configured headers", () => {
  const headers = { "x-yeet": "yeet", "x-api-key": "hunter2", "x-other": "hunter2", cookie: "sid=hunter2" }

  test("are sent with requests and their errors, without others and without secrets", async () => {
    await fetch(`${page.origin}/api/fail/plain`, { headers })
    const error = await sentry.waitForError("of the handler", () => true)
    const transaction = await named("GET /api/fail/[kind]")
    for (const { request } of [error, transaction])
      expect(request.headers).toMatchObject({ "x-yeet": "yeet", "x-api-key": "[Filtered]" })
    expect(transaction["contexts"].trace.data).toMatchObject({ "http.request.header.x-yeet": ["yeet"] })
    expect(JSON.stringify(sentry.envelopes())).not.toContain("hunter2")
  })
})

describe("a server action that the app traces", () => {
  /** Posts the form as a browser without JavaScript does. */
  async function act(index: number): Promise<Response> {
    const html = await (await fetch(`${page.origin}/act`)).text()
    const form = new FormData()
    form.set([...html.matchAll(/name="(\$ACTION_ID_[^"]+)"/g)][index]?.[1] ?? "", "")
    form.set("title", "a title")
    form.set("other", "hunter2hunter2")
    form.set("password", "hunter2hunter2")
    form.set("photo", new File(["abc"], "hunter2hunter2.png"))
    sentry.clear()
    return fetch(`${page.origin}/act`, { method: "POST", body: form, redirect: "manual" })
  }

  async function actionOf(name: string) {
    const transaction = await named("POST /act")
    const action = transaction["spans"].find((span: Payload) => span["description"] === `serverAction/${name}`)
    expect(action).toMatchObject({
      op: "function.server_action",
      parent_span_id: transaction["contexts"].trace.span_id,
    })
    expect(JSON.stringify(sentry.envelopes())).not.toContain("hunter2hunter2")
    return action
  }

  const recorded = ({ data }: Payload) =>
    Object.fromEntries(Object.entries(data).filter(([key]) => key.startsWith("server_action.")))

  test("is a span of its request, with the named fields and the result, and without secrets", async () => {
    await act(0)
    expect(recorded(await actionOf("save"))).toEqual({
      "server_action.form.title": ["a title"],
      "server_action.form.password": ["[Filtered]"],
      "server_action.form.photo": ["a file of 3 bytes"],
      "server_action.result": '{"id":7,"token":"[Filtered]"}',
    })
  })

  test("records nothing of form and result by default", async () => {
    await act(1)
    expect(recorded(await actionOf("keep"))).toEqual({})
  })

  test("that redirects behaves as before, and is not marked as failed", async () => {
    expect((await act(2)).status).toBe(303)
    expect(await actionOf("leave")).toMatchObject({ status: "ok" })
    expect(sentry.errors()).toEqual([])
  })

  test("that fails behaves as without Pagespan, and is reported once", async () => {
    expect((await act(3)).status).toBe(500)
    expect(await actionOf("fail")).toMatchObject({ status: "internal_error" })
    await waitFor("the error", () => sentry.errors().length > 0)
    expect(sentry.errors().map(({ transaction, exception }) => [transaction, exception.values[0].value])).toEqual([
      ["POST /act", "thrown in a traced action"],
    ])
  })
})

describe("a route handler of the edge runtime", () => {
  test("is a transaction with its route and status", async () => {
    await fetch(`${page.origin}/api/edge/x`, { method: "PATCH" })
    const transaction = await named("PATCH /api/edge/[what]")
    expect(transaction["transaction_info"]).toEqual({ source: "route" })
    expect(transaction["contexts"].trace).toMatchObject({ op: "http.server", status: "unauthenticated" })
  })

  test("that fails is reported once, on the trace of its request", async () => {
    await fetch(`${page.origin}/api/edge/fail?token=hunter2`)
    const error = await sentry.waitForError("of the edge", () => true)
    const transaction = await named("GET /api/edge/[what]")
    expect(error).toMatchObject({
      transaction: "GET /api/edge/[what]",
      contexts: { nextjs: { router_path: "/api/edge/[what]", route_type: "route" } },
    })
    expect(error["contexts"].trace.trace_id).toBe(transaction["contexts"].trace.trace_id)
    expect(transaction["contexts"].trace.status).toBe("internal_error")
    expect(sentry.errors()).toHaveLength(1)
    expect(JSON.stringify(sentry.envelopes())).not.toContain("hunter2")
  })
})

describe("a server's request to another server", () => {
  /** Lets the app request a URL. Returns the span of that request. */
  async function ask(url: string): Promise<Payload> {
    await fetch(`${page.origin}/api/say/exception?from=${encodeURIComponent(url)}`)
    const transaction = await named("GET /api/say/[what]")
    return transaction["spans"].find(({ op }: Payload) => op === "http.client")
  }

  const upstreamHeaders = () => sentry.requests.find(({ path }) => path.startsWith("/upstream"))?.headers

  test("has the trace in the headers of both conventions", async () => {
    const { trace_id, span_id } = await ask(`http://127.0.0.1:${sentry.port}/upstream`)
    expect(upstreamHeaders()).toMatchObject({
      traceparent: `00-${trace_id}-${span_id}-01`,
      "sentry-trace": `${trace_id}-${span_id}-1`,
      baggage: expect.stringContaining(`sentry-trace_id=${trace_id},sentry-public_key=${sentry.key}`),
    })
  })

  test("is the parent of the other server's span, in one trace", async () => {
    const { trace_id, span_id } = await ask(`${page.origin}/nested/7`)
    const other = await named("GET /nested/[param]")
    expect(other["contexts"].trace).toMatchObject({ trace_id, parent_span_id: span_id })
  })

  test("to an origin that is not listed has no trace headers", async () => {
    // The same server, at an address that does not count as this machine's own.
    await ask(`http://[::ffff:127.0.0.1]:${sentry.port}/upstream`)
    expect(upstreamHeaders()).toBeDefined()
    for (const name of ["traceparent", "sentry-trace", "baggage"]) expect(upstreamHeaders()).not.toHaveProperty(name)
  })
})
