import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest"
import { RUN_NAME } from "#otel/inspector/queries/list/run.ts"
import { serviceName } from "#otel/protocol/records/span.ts"
import { InspectorReader } from "#otel/testing/inspector-reader.ts"
import { testRun } from "#otel/testing/run.ts"
import { spansOf } from "#otel/testing/test-trace.ts"
import { TraceExporter } from "#otel/testing/trace-exporter.ts"
import { randomIds } from "#otel/testing/trace-ids.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"

const NOTHING = "http://127.0.0.1:9"
const NOW = new Date("2026-01-31T12:00:00Z")

let directory: string
let lines: string[]
let before: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "pagespan-exporter-"))
  before = process.cwd()
  process.chdir(directory)
  lines = []
})

afterEach(() => {
  process.chdir(before)
  rmSync(directory, { recursive: true })
})

function exporter(environment: Record<string, string>): TraceExporter {
  const run = testRun("vitest", "unit", environment, NOW)
  return new TraceExporter({ run, environment, log: (line) => lines.push(line) })
}

function spans(title: string) {
  const attempt = { ...randomIds(), file: "a.test.ts", titles: [title], startMs: Date.now(), endMs: Date.now() }
  return spansOf({ ...attempt, status: "pass", retry: 0, errors: [], steps: [] })
}

/** Names of the spans in the written files. */
function written(): string[] {
  const folder = join(directory, "pagespan-traces")
  return readdirSync(folder)
    .filter((name) => name.endsWith(".gz"))
    .flatMap((name) =>
      gunzipSync(readFileSync(join(folder, name)))
        .toString()
        .trim()
        .split("\n"),
    )
    .flatMap(
      (line) =>
        (JSON.parse(line) as { resourceSpans: [{ scopeSpans: [{ spans: { name: string }[] }] }] }).resourceSpans,
    )
    .flatMap(({ scopeSpans: [{ spans: all }] }) => all.map(({ name }) => name))
}

describe("the spans of a test run", () => {
  test("go to OTEL_EXPORTER_OTLP_ENDPOINT with its headers, marked with the run", async () => {
    const collector = await new RecordingCollector().listen()
    const sending = exporter({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: "x-key=a%20b",
    })
    sending.add(spans("one"))
    sending.add(spans("two"))
    expect(await sending.close()).toMatchObject({ traces: 2, dropped: 0, files: [] })
    expect(collector.spans().map(({ name }) => name)).toEqual(["a.test.ts › one", "a.test.ts › two"])
    const runs = collector
      .spans()
      .map(({ resource }) => [serviceName(resource), resource.attributes.get("pagespan.run")])
    expect(runs[0]).toEqual(["vitest", "unit"])
    expect(collector.requests.find(({ path }) => path === "/v1/traces")?.headers["x-key"]).toBe("a b")
    await collector.close()
  })

  test("go to another server without the inspector's token, and to the inspector with it", async () => {
    const [collector, inspector] = await Promise.all([1, 2].map(() => new RecordingCollector().listen()))
    onTestFinished(async () => void (await Promise.all([collector!.close(), inspector!.close()])))
    inspector!.answer = { status: 200, body: JSON.stringify({ status: "ok", queue: { depth: 0, oldestMs: 0 } }) }
    const both = { PAGESPAN_URL: inspector!.endpoint, PAGESPAN_TOKEN: "hunter2hunter2hunter2" }
    const sentTo = async (endpoint: string) => {
      const sending = exporter({ ...both, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })
      sending.add(spans("one"))
      await sending.close()
    }
    await sentTo(collector!.endpoint)
    await sentTo(inspector!.endpoint)
    const tokens = (server: RecordingCollector) =>
      server.requests.filter(({ path }) => path === "/v1/traces").map(({ headers }) => headers.authorization)
    expect(tokens(collector!)).toEqual([undefined])
    expect(tokens(inspector!)).toEqual(["Bearer hunter2hunter2hunter2"])
  })

  test("go to a file if nothing receives them, which only their user reads, without a warning", async () => {
    const sending = exporter({ PAGESPAN_URL: NOTHING })
    sending.add(spans("one"))
    const { files } = await sending.close()
    expect(files).toHaveLength(1)
    expect(written()).toEqual(["a.test.ts › one"])
    expect(statSync(join(directory, files[0] ?? "")).mode & 0o077).toBe(0)
    expect(readFileSync(join(directory, "pagespan-traces/.gitignore"), "utf8")).toBe("*\n")
    expect(lines).toEqual([])
  })

  test("go to a file once their endpoint fails, with one line of warning", async () => {
    const collector = await new RecordingCollector().listen()
    const sending = exporter({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint })
    sending.add(spans("arrived"))
    await sending.flush()
    collector.answer = { status: 500 }
    sending.add(spans("failed"))
    await sending.flush()
    sending.add(spans("later"))
    expect(await sending.close()).toMatchObject({ traces: 3, dropped: 0 })
    expect(written()).toEqual(["a.test.ts › failed", "a.test.ts › later"])
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain("/v1/traces answers 500: spans are written to pagespan-traces/")
    await collector.close()
  })

  test("go to a file if the inspector requires a token, which the warning names", async () => {
    const server = createServer((request, response) => {
      request.resume()
      if (request.url === "/health") response.end('{"status":"ok","queue":{"depth":0,"oldestMs":0}}')
      else response.writeHead(401).end()
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => server.closeAllConnections())
    onTestFinished(() => void server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const sending = exporter({ PAGESPAN_URL: url })
    sending.add(spans("one"))
    expect(await sending.close()).toMatchObject({ dropped: 0, inspector: undefined })
    expect(written()).toEqual(["a.test.ts › one"])
    expect(lines).toEqual([
      expect.stringContaining("/v1/traces requires a token: set PAGESPAN_TOKEN: spans are written"),
    ])
    const reading = new InspectorReader({ url, token: undefined }).routes(0)
    await expect(reading).rejects.toThrow("requires a token: set PAGESPAN_TOKEN")
  })

  test("are counted as dropped if neither takes them, and the run goes on", async () => {
    process.chdir("/proc")
    const sending = exporter({ OTEL_EXPORTER_OTLP_ENDPOINT: NOTHING })
    sending.add(spans("one"))
    expect(await sending.close()).toMatchObject({ traces: 1, dropped: 1, files: [] })
    expect(lines).toHaveLength(1)
  })

  test("are counted if the endpoint rejects some, and beyond the limit of the queue", async () => {
    const collector = await new RecordingCollector().listen()
    collector.answer = { status: 200, body: '{"partialSuccess":{"rejectedSpans":"2"}}' }
    const sending = exporter({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint })
    const [span] = spans("large")
    const large = { ...span, name: "x".repeat(20 * 2 ** 20) } as NonNullable<typeof span>
    sending.add([large, large])
    expect(await sending.close()).toMatchObject({ dropped: 3 })
    await collector.close()
  })
})

describe("the name of a test run", () => {
  const name = (environment: Record<string, string>, given?: string) =>
    testRun("playwright", given, environment, NOW).name

  test("is the given one, else that of OTEL_RESOURCE_ATTRIBUTES, else that of the CI pipeline for all shards, else the time", () => {
    const attributes = { OTEL_RESOURCE_ATTRIBUTES: "a=b,pagespan.run=e2e", GITHUB_RUN_ID: "7" }
    expect(name(attributes, "mine")).toBe("mine")
    expect(name(attributes)).toBe("e2e")
    expect(name({ GITHUB_RUN_ID: "7", GITHUB_RUN_ATTEMPT: "2" })).toBe("github-7-2-playwright")
    expect(name({})).toMatch(/^playwright-20260131-120000-[0-9a-f]{4}$/)
  })

  test("has only characters that the name of a retained run has", () => {
    expect(name({}, "-my branch\n#1")).toBe("my-branch--1")
    expect(RUN_NAME.test(name({}, "-my branch\n#1"))).toBe(true)
  })
})
