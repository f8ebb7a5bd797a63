import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { type Payload, RecordingSentry } from "#tests/support/recording-sentry.ts"
import { RunningPage } from "#tests/support/running-page.ts"
import { sleep } from "#tests/support/wait-for.ts"

/** Every place in which an app's server code can fail, in an app that only installs the library. */
let sentry: RecordingSentry
let page: RunningPage

beforeAll(async () => {
  sentry = await new RecordingSentry().listen()
  page = await RunningPage.start("server", { SENTRY_DSN: sentry.dsn, SENTRY_RELEASE: "shop@1.2.3" })
})

afterAll(async () => {
  await page?.stop()
  await sentry?.close()
})

beforeEach(() => sentry.clear())

/** The only error that a request leaves, and the transaction on whose trace it must be. */
async function failed(message: string, path: string, init?: RequestInit) {
  await fetch(`${page.url}${path}`, { redirect: "manual", ...init })
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
  expect(error["release"]).toBe("shop@1.2.3")
  return { error, transaction }
}

function spanIds(transaction: Payload): string[] {
  return [transaction["contexts"].trace.span_id, ...transaction["spans"].map((span: Payload) => span["span_id"])]
}

describe("an error of the server reaches Sentry once, on a span of its request, under its route", () => {
  test("in a route handler", async () => {
    const { error, transaction } = await failed("thrown in a route handler", "/api/fail/plain?token=hunter2")
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

  test("in a server component, where each of two has its own event", async () => {
    const { error } = await failed("thrown for a", "/broken/a")
    expect(error["transaction"]).toBe("GET /broken/[id]")
    expect(error["contexts"].nextjs).toMatchObject({ router_path: "/broken/[id]", route_type: "render" })
    await fetch(`${page.url}/broken/a`)
    await fetch(`${page.url}/broken/b`)
    await sentry.waitForError("of the other page", (event) => event["exception"].values.at(-1).value === "thrown for b")
    expect(sentry.errors().map((event) => event["exception"].values.at(-1).value)).toEqual([
      "thrown for a",
      "thrown for a",
      "thrown for b",
    ])
  })

  test("in a server action", async () => {
    const html = await (await fetch(`${page.url}/action`)).text()
    const id = /name="(\$ACTION_ID_[^"]+)"/.exec(html)?.[1] ?? ""
    const form = new FormData()
    form.set(id, "")
    sentry.clear()
    const { error } = await failed("thrown in a server action", "/action", { method: "POST", body: form })
    expect(error["transaction"]).toBe("POST /action")
    expect(error["contexts"].nextjs).toMatchObject({ router_path: "/action" })
  })

  test("in the proxy", async () => {
    await fetch(`${page.url}/behind?fail-in-proxy=1`)
    const error = await sentry.waitForError("of the proxy", () => true)
    expect(error["exception"].values.at(-1).value).toBe("thrown in the proxy")
    expect(error["contexts"].nextjs).toMatchObject({ route_type: "proxy" })
    await sleep(300)
    expect(sentry.errors()).toHaveLength(1)
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

  test("but a redirect does not", async () => {
    const response = await fetch(`${page.url}/api/fail/redirect`, { redirect: "manual" })
    expect(response.status).toBe(307)
    await sentry.waitForTransaction("of the redirect", (event) => event["transaction"] === "GET /api/fail/[kind]")
    expect(sentry.errors()).toEqual([])
  })
})

test("a page behind the proxy makes one trace, and the proxy's span is named as Sentry names it", async () => {
  await fetch(`${page.url}/behind`)
  const transaction = await sentry.waitForTransaction("of the page", (event) => event["transaction"] === "GET /behind")
  const all = [transaction, ...sentry.transactions()].flatMap((event) => [event["contexts"].trace, ...event["spans"]])
  expect(all.map(({ op }) => op)).toContain("http.server.middleware")
  expect(new Set(all.map(({ trace_id }) => trace_id)).size).toBe(1)
})
