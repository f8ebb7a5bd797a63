import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { TracesJson } from "#otel/protocol/otlp/traces-json.ts"
import { openScreen } from "#tests/app/screens/session/open-screen.ts"
import { type AppUnderTest, startApp } from "#tests/sdk/browser/app-under-test.ts"
import { chromiumPath, launchChromium } from "#tests/support/chromium.ts"
import { RunningApp } from "#tests/support/running-app.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { ForeignApp } from "./foreign-app.ts"
import { above, type Span, spansAt, spansOf } from "./read-spans.ts"

const UI_LINE = /^Listening on (http:\S+)$/m
const TRACE_LINE = /^ {2}(http:\S+\/traces\/[0-9a-f]{32})$/gm

/** Part of the report of Playwright's reporter `json`. */
interface JsonReport {
  readonly suites: readonly {
    readonly specs: readonly {
      readonly tests: readonly {
        readonly results: readonly { readonly status: string; readonly annotations: readonly object[] }[]
      }[]
    }[]
  }[]
}

let app: ForeignApp
let inspector: RunningApp
/** An app whose requests have a referrer, as most have. The inspector's policy sends none. */
let pages: AppUnderTest
let browser: Browser

beforeAll(async () => {
  // The inspector traces its own pages, so it is the app that the tests of the project open as well.
  ;[app, inspector, browser] = await Promise.all([
    ForeignApp.create("testing", ["vitest", "@playwright/test"]),
    RunningApp.start(),
    launchChromium(),
  ])
  pages = await startApp("routes", { environment: { OTEL_EXPORTER_OTLP_ENDPOINT: inspector.url } })
})

afterAll(async () => {
  await browser?.close()
  await pages?.stop()
  await inspector?.stop()
  await app?.remove()
})

function environment(): Record<string, string> {
  const [APP_URL, PAGES_URL] = [inspector.url, pages.origin]
  return { APP_URL, PAGES_URL, PAGESPAN_URL: inspector.url, CHROMIUM: chromiumPath() ?? "", CI: "1" }
}

/** The output of a suite in which tests fail. */
function outputOfFailure(program: string, ...parameters: readonly string[]): Promise<string> {
  return app.run(program, parameters, environment()).then(
    () => Promise.reject(new Error("the suite passed")),
    (error: unknown) => String(error),
  )
}

/** Of the trace of a test of the Playwright project. */
async function spansOfTest(title: string): Promise<Span[]> {
  const filter = encodeURIComponent(`name:"app.spec.ts › ${title}"`)
  const response = await fetch(`${inspector.url}/api/traces?q=${filter}`)
  const { traces } = (await response.json()) as { traces: { traceId: string }[] }
  return spansAt(`${inspector.url}/traces/${traces[0]?.traceId}`)
}

/** The only file of traces. */
function writtenSpans(): { file: string; spans: Span[] } {
  const directory = join(app.directory, "pagespan-traces")
  const file = join(directory, readdirSync(directory).find((name) => name.endsWith(".otlp.jsonl.gz")) ?? "")
  const lines = gunzipSync(readFileSync(file)).toString().trim().split("\n")
  return { file, spans: lines.flatMap((line) => spansOf(JSON.parse(line) as TracesJson)) }
}

function linesOf(output: string): string[] {
  return [...output.matchAll(TRACE_LINE)].map(([, address]) => address ?? "")
}

/** What Chromium shows at the address. */
async function shownAt(address: string, text: string): Promise<void> {
  const page = await browser.newPage()
  await page.goto(address)
  await page.getByText(text).first().waitFor({ timeout: 60_000 })
  await page.close()
}

describe("a foreign Vitest project", () => {
  test("prints the trace of a failed test, which has the hooks, the request, the server and the assertion", async () => {
    const output = await outputOfFailure("vitest", "run")
    expect(output).toContain("pagespan: unit/app.test.ts › the app › answers with another status")
    // Of three tests, one with two attempts; the skipped one has no trace.
    expect(output).toMatch(/pagespan: 4 traces of run vitest-\S+: http:/)
    const [address = "", ...others] = linesOf(output)
    expect(others).toEqual([])
    const spans = await spansAt(address)
    const names = spans.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(["beforeEach", "afterEach", "expect.toBe"]))
    const root = "unit/app.test.ts › the app › answers with another status"
    const server = spans.find(({ service, name }) => service === "pagespan" && name === "GET /connect")
    expect(above(spans, server)).toEqual(["GET /connect", root])
    await shownAt(address, root)
  })

  test("writes a file without an inspector, which an inspector imports", async () => {
    await app.run("vitest", ["run"], { ...environment(), PAGESPAN_URL: "http://127.0.0.1:9" }).catch(() => undefined)
    const { file, spans } = writtenSpans()
    const names = spans.map(({ name }) => name)
    expect(names).toContain("unit/app.test.ts › the app › answers")
    expect(names.join()).not.toContain("hunter2")
    await app.run("pagespan", ["import", "--url", inspector.url, file])
  })

  test("has each request below its own test, where tests run at the same time", async () => {
    rmSync(join(app.directory, "pagespan-traces"), { recursive: true, force: true })
    const parameters = ["run", "--config", "vitest.concurrent.config.ts"]
    await app.run("vitest", parameters, { ...environment(), PAGESPAN_URL: "http://127.0.0.1:9" })
    const { spans } = writtenSpans()
    for (const title of ["errors", "routes", "in a suite › traces", "in another suite › services"]) {
      const request = spans.find(({ name }) => name === `GET /${title.split(" › ").at(-1)}`)
      expect(above(spans, request)).toEqual([`concurrent/app.test.ts › at the same time › ${title}`])
    }
  })
})

describe("a foreign Playwright project", () => {
  let output: string

  beforeAll(async () => {
    output = await outputOfFailure("playwright", "test")
  })

  test("prints the trace of a failed test, in which the page and the server are below the step that opened it", async () => {
    const addresses = linesOf(output)
    expect(output).toContain("pagespan: app.spec.ts › shows another heading")
    expect(output).toContain("pagespan: app.spec.ts › expects a span that does not exist")
    expect(addresses).toHaveLength(2)
    const traces = await Promise.all(addresses.map(spansAt))
    const root = "app.spec.ts › shows another heading"
    const index = traces.findIndex((spans) => spans.some(({ name }) => name === root))
    const spans = traces[index] ?? []
    const page = spans.find(({ service, name }) => service === "pagespan-browser" && name === "/connect")
    // The request of the test, and the server that answered it.
    expect(above(spans, page)).toEqual(["GET /connect", "GET /connect", "Navigate", root])
    await shownAt(addresses[index] ?? "", root)
  })

  test("has a request of the test below its call, which is at its line of the test", async () => {
    const spans = await spansOfTest("shows a page")
    const request = spans.find(({ name }) => name === "GET /health")
    const call = spans.find(({ spanId }) => spanId === request?.parentSpanId)
    expect(call?.name).toBe("GET")
    const file = join(app.directory, "e2e/app.spec.ts")
    expect(call?.attributes["code.file.path"]).toBe(file)
    const root = spans.find(({ parentSpanId }) => !parentSpanId)
    expect(root?.attributes["code.file.path"]).toBe(file)
  })

  test("passes what holds, and shows what came instead of a span", () => {
    expect(output).toContain("Expected at least 1 × SELECT* in each trace, and one has 0. It has:")
    expect(output).toMatch(/1 × GET \/connect/)
    expect(output).toMatch(/6 passed/)
  })

  test("has the pages that the app opens and those of other contexts in the test's trace, beside routes of the test", async () => {
    const spans = await spansOfTest("opens other pages")
    const servers = spans.filter(
      ({ service, name }) => service === "pagespan" && /^GET \/(?:errors|dropped)$/.test(name),
    )
    const root = "app.spec.ts › opens other pages"
    expect(servers.map((span) => [span.name, above(spans, span).at(-1)]).toSorted()).toEqual([
      ["GET /dropped", root],
      ["GET /errors", root],
    ])
  })

  test("has the requests of a page without a tracer, and the server below them", async () => {
    const spans = await spansOfTest("requests from a page without a tracer")
    const server = spans.find(({ service, name }) => service === "pagespan" && name === "GET /api/filters")
    const root = "app.spec.ts › requests from a page without a tracer"
    expect(above(spans, server)).toEqual(["GET /api/filters", "Evaluate", root])
  })

  test("has the answer of each request of a page, also of two to one address, and why one has none", async () => {
    const answers: unknown = JSON.parse(readFileSync(join(app.directory, "answers.json"), "utf8"))
    const spans = await spansOfTest("requests that redirect, fail and get no response")
    const requests = spans.filter(({ name }) => name.startsWith("GET /"))
    expect(requests).toHaveLength(5)
    const answered = requests.map(({ spanId, name, attributes }) => [
      spanId,
      `${name.slice("GET ".length)} ${attributes["http.response.status_code"] ?? attributes["error.type"]}`,
    ])
    expect(Object.fromEntries(answered)).toEqual(answers)
  })

  test("has no request by which the page's tracer delivers", async () => {
    const spans = await spansOfTest("waits until a page has delivered")
    expect(spans.map(({ name }) => name)).toContain("GET /static")
    expect(spans.filter(({ name }) => name.startsWith("POST"))).toEqual([])
  })

  test("attaches the whole trace of the last attempt, and no report shows what the fixture recorded", () => {
    const directory = join(app.directory, "test-results/pagespan")
    const files = readdirSync(directory).map((name) => readFileSync(join(directory, name), "utf8"))
    const whole = files.map((text) => spansOf(JSON.parse(text) as TracesJson))
    expect(whole.some((spans) => spans.some(({ service }) => service === "pagespan-browser"))).toBe(true)
    const report = join(app.directory, "playwright-report")
    expect(existsSync(join(report, "index.html"))).toBe(true)
    const { suites } = JSON.parse(readFileSync(join(app.directory, "results.json"), "utf8")) as JsonReport
    const attempts = suites.flatMap(({ specs }) =>
      specs.flatMap(({ tests }) => tests.flatMap(({ results }) => results)),
    )
    const address = { type: "trace", description: expect.stringMatching(/^http:\S+\/traces\/[0-9a-f]{32}$/) as string }
    const annotated = attempts.map(({ status, annotations }) => [status === "skipped", annotations])
    expect(annotated.filter(([isSkipped]) => isSkipped)).toEqual([[true, [expect.objectContaining({ type: "skip" })]]])
    expect(annotated.filter(([isSkipped]) => !isSkipped)).toEqual(Array.from({ length: 10 }, () => [false, [address]]))
  })

  test("an inspector opens an attached trace that is dropped on a screen", async () => {
    const directory = join(app.directory, "test-results/pagespan")
    const [file = ""] = readdirSync(directory)
    const page = await browser.newPage()
    await openScreen(page, `${inspector.url}/connect`)
    await page.evaluate(
      ([name = "", content = ""]) => {
        const data = new DataTransfer()
        data.items.add(new File([content], name))
        window.dispatchEvent(new DragEvent("dragenter", { dataTransfer: data, cancelable: true }))
        window.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }))
      },
      [file, readFileSync(join(directory, file), "utf8")],
    )
    await page.getByRole("heading", { name: /^Imported/ }).waitFor({ timeout: 60_000 })
    await page.getByRole("link", { name: file.slice("trace-".length, "trace-".length + 32) }).waitFor()
    await page.close()
  })

  test("has one run for the shards of a pipeline, with a trace for each attempt of each test", async () => {
    // Playwright removes the results of the run before.
    const pipeline = { ...environment(), GITHUB_RUN_ID: "77" }
    // A test of each shard fails.
    for (const shard of ["1/2", "2/2"])
      await app.run("playwright", ["test", "--shard", shard], pipeline).catch(() => undefined)
    const response = await fetch(`${inspector.url}/api/traces?q=run%3Agithub-77-playwright`)
    const { traces } = (await response.json()) as { traces: { name: string }[] }
    expect(traces.map(({ name }) => name).toSorted()).toEqual([
      "app.spec.ts › expects a span that does not exist",
      "app.spec.ts › expects a span that does not exist",
      "app.spec.ts › opens a page at the IPv6 address of loopback",
      "app.spec.ts › opens other pages",
      "app.spec.ts › requests from a page without a tracer",
      "app.spec.ts › requests that redirect, fail and get no response",
      "app.spec.ts › shows a page",
      "app.spec.ts › shows another heading",
      "app.spec.ts › shows another heading",
      "app.spec.ts › waits until a page has delivered",
    ])
  })
  test("shows in Playwright's UI mode where the trace of a test is, and records a run each time", async () => {
    const ui = app.spawn("playwright", ["test", "--ui-host", "127.0.0.1", "--ui-port", "0"], {
      ...environment(),
      CI: "",
      OTEL_RESOURCE_ATTRIBUTES: "pagespan.run=ui",
    })
    let printed = ""
    ui.stdout?.on("data", (chunk: Buffer) => (printed += chunk.toString()))
    await waitFor("UI mode", () => UI_LINE.test(printed), 60_000)
    const page = await browser.newPage()
    try {
      await page.goto(UI_LINE.exec(printed)?.[1] ?? "")
      const opened = page.getByRole("treeitem", { name: "shows another heading" })
      await opened.waitFor({ timeout: 60_000 })
      await opened.hover()
      await opened.getByRole("button", { name: "Run" }).click()
      await page.getByText(/^1\/1/).waitFor({ timeout: 120_000 })
      await page.getByRole("tab", { name: "Annotations" }).click()
      const annotation = await page.locator(".annotation-item").allInnerTexts()
      expect(annotation).toEqual([expect.stringMatching(/^trace: http:\S+\/traces\/[0-9a-f]{32}$/)])
      await page.getByTitle("Toggle output").click()
      await page.getByText("pagespan: 1 trace of run ui").waitFor()
      const spans = await spansAt(annotation[0]?.slice("trace: ".length) ?? "")
      const server = spans.find(({ service, name }) => service === "pagespan" && name === "GET /connect")
      expect(above(spans, server)).toEqual(["GET /connect", "Navigate", "app.spec.ts › shows another heading"])
      const response = await fetch(`${inspector.url}/api/traces?q=run%3Aui`)
      expect(((await response.json()) as { traces: unknown[] }).traces).toHaveLength(1)
    } finally {
      await page.close()
    }
  })
})
