import type { Browser } from "playwright-core"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { launchChromium } from "#tests/support/chromium.ts"
import { type Payload, RecordingSentry } from "#tests/support/recording-sentry.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { type AppUnderTest, startApp } from "./app-under-test.ts"
import { type Build, CACHED, WEBPACK } from "./cases/builds.ts"
import { open, rootsOf, storyOf, visit } from "./visit.ts"

let browser: Browser
let sentry: RecordingSentry
let app: AppUnderTest

beforeAll(async () => {
  browser = await launchChromium()
  sentry = await new RecordingSentry().listen()
})

afterAll(async () => {
  await browser?.close()
  await sentry?.close()
})

beforeEach(() => sentry.clear())

const named = (name: string) => sentry.waitForTransaction(name, ({ transaction }) => transaction === name)

function startBeforeTests({ variant }: Build): void {
  beforeAll(async () => {
    app = await startApp("routes", { environment: { SENTRY_DSN: sentry.dsn }, variant })
  })

  afterAll(() => app?.stop())
}

describe(`an app ${CACHED.what}, whose pages are prerendered`, () => {
  startBeforeTests(CACHED)

  test("puts no trace into prerendered HTML, and the page starts its own", async () => {
    const html = await (await fetch(`${app.origin}/static`)).text()
    expect(html).not.toMatch(/<meta name="(?:sentry-trace|baggage|traceparent)"/)
    sentry.clear()
    const page = await visit(browser, `${app.origin}/static`)
    const [root] = await rootsOf(page, sentry, 1)
    const server = await named("GET /static")
    expect(root!["contexts"].trace.trace_id).not.toBe(server["contexts"].trace.trace_id)
  })

  test("continues the server's trace, which streams in behind the prerendered shell, also where scripts are cached", async () => {
    const page = await visit(browser, `${app.origin}/todos/late`)
    for (const again of [1, 2, 3]) await open(page, `${app.origin}/todos/late?again=${again}`)
    for (const root of await rootsOf(page, sentry, 4)) {
      const { trace_id, parent_span_id } = root["contexts"].trace
      const server = await sentry.waitForTransaction("of the server", ({ transaction, contexts }) => {
        return transaction === "GET /todos/late" && contexts.trace.trace_id === trace_id
      })
      expect(parent_span_id).toBe(server["contexts"].trace.span_id)
    }
  })

  test("records the work of a request itself, and not the cached work", async () => {
    const spansOf = ({ spans }: Payload) => spans.map(({ description }: Payload) => description)
    await fetch(`${app.origin}/todos/late`)
    expect(spansOf(await named("GET /todos/late"))).toContain("get.todos")
    expect(await (await fetch(`${app.origin}/todos/cached`)).text()).toContain("one,two")
    expect(spansOf(await named("GET /todos/cached"))).not.toContain("get.todos")
  })

  test("reports errors by hand in a page rendered on demand, and builds though generateMetadata reports one", async () => {
    expect(await (await fetch(`${app.origin}/captured/7`)).text()).toContain("<title>captured</title>")
    const captured = await sentry.waitForError("of the page", ({ message }) => message === "captured 7")
    const titled = await sentry.waitForError(
      "of the title",
      ({ exception }) => exception?.values[0].value === "captured in generateMetadata",
    )
    const { contexts } = await named("GET /captured/[id]")
    for (const event of [captured, titled]) {
      expect(event["transaction"]).toBe("GET /captured/[id]")
      expect(event["contexts"].trace.trace_id).toBe(contexts.trace.trace_id)
    }
  })
})

describe(`an app ${WEBPACK.what}, with integrity and a middleware.ts`, () => {
  startBeforeTests(WEBPACK)

  test("has integrity attributes on its scripts, which include the page's tracer", async () => {
    const html = await (await fetch(`${app.origin}/app/items/1/`)).text()
    expect([...html.matchAll(/<script src="[^"]+"[^>]* integrity="sha256-/g)].length).toBeGreaterThan(2)
    const page = await visit(browser, `${app.origin}/app/items/1/`)
    expect(storyOf(await rootsOf(page, sentry, 1))).toEqual(["pageload /items/[id]"])
  })

  test("runs its middleware.ts at the edge, as the parent of the request that passes it", async () => {
    const answer = await fetch(`${app.origin}/app/items/1/?edge=1`)
    expect(answer.headers.get("x-middleware")).toBe("edge")
    const run = await named("middleware GET")
    expect(run["contexts"].trace).toMatchObject({ op: "http.server.middleware", status: "ok" })
    const { trace_id, span_id } = run["contexts"].trace
    // The request of the page in the test before may come this late.
    const request = await sentry.waitForTransaction(
      "of the request",
      ({ transaction, contexts }) => transaction === "GET /items/[id]" && contexts.trace.trace_id === trace_id,
    )
    expect(request["contexts"].trace.parent_span_id).toBe(span_id)
  })

  test("reports an error of its middleware.ts once, on the trace of the request", async () => {
    const trace_id = "4bf92f3577b34da6a3ce929d0e0e4736"
    const headers = { "sentry-trace": `${trace_id}-00f067aa0ba902b7-1`, authorization: "Bearer hunter2hunter2" }
    await fetch(`${app.origin}/app/items/1/?edge=1&fail=1&token=hunter2`, { headers })
    const error = await sentry.waitForError("of the middleware", () => true)
    expect(error).toMatchObject({
      transaction: "GET /proxy",
      exception: { values: [{ value: "thrown in the middleware", mechanism: { handled: false } }] },
      contexts: { trace: { trace_id }, runtime: { name: "vercel-edge" }, nextjs: { route_type: "proxy" } },
    })
    const { contexts } = await sentry.waitForTransaction(
      "of it",
      ({ contexts }) => contexts.trace.trace_id === trace_id,
    )
    expect(contexts.trace.status).toBe("internal_error")
    expect(sentry.errors()).toHaveLength(1)
    // The error of the next visitor is another one.
    await fetch(`${app.origin}/app/items/2/?edge=1&fail=1`)
    await waitFor("the other's", () => sentry.errors().length === 2)
    expect(JSON.stringify(sentry.envelopes())).not.toContain("hunter2")
  })
})
