import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest"
import { isAt, namedCollector } from "#otel/cli/named-collector.ts"
import { createParser } from "#otel/cli/parser.ts"
import { freePort } from "#tests/support/free-port.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { RecordingServer } from "#tests/support/recording-server.ts"
import { appOnDisk, LAYOUT } from "./init/app-on-disk.ts"

/**
 * Stands for `next` and an app with an exporter: takes the variables of `.env` that the process has not, as Next does, and
 * sends on what its tunnel gets. The variables for traces precede the general ones.
 */
const NEXT = `const { readFileSync } = require("node:fs")
const valueOf = (option) => process.argv[process.argv.indexOf(option) + 1]
for (const line of readFileSync(".env", "utf8").split("\\n").filter(Boolean)) {
  const [name, ...value] = line.split("=")
  process.env[name] ??= value.join("=")
}
const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces, OTEL_EXPORTER_OTLP_ENDPOINT: base } = process.env
const endpoint = process.env.OTEL_TRACES_EXPORTER === "none" ? undefined : traces || (base && base + "/v1/traces")
require("node:http").createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const headers = { "content-type": "application/json" }
  if (request.url !== "/monitoring") return response.end("pagespan")
  if (request.headers["content-type"].includes("settings"))
    return response.end(JSON.stringify({ service: "shop", dsn: "https://key@sentry.test/1" }))
  if (endpoint && request.headers["content-type"] === "application/json")
    await fetch(endpoint, { method: "POST", body: Buffer.concat(chunks), headers }).catch(() => {})
  response.writeHead(204).end()
}).listen(valueOf("--port"), valueOf("--hostname"))`

const VARIABLES = [
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
  "OTEL_TRACES_EXPORTER",
  "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
] as const
type Variables = Partial<Record<(typeof VARIABLES)[number], string>>

/** Runs `pagespan doctor` on an app with these variables in `.env`. Returns the last line that begins with a verdict. */
async function lastFinding(inFile: Variables, url?: string): Promise<string> {
  const directory = await appOnDisk({
    ".env": Object.entries(inFile)
      .map((each) => `${each.join("=")}\n`)
      .join(""),
    "app/layout.jsx": LAYOUT,
    "node_modules/next/package.json": JSON.stringify({ name: "next", version: "16.4.6" }),
    "node_modules/next/dist/bin/next": NEXT,
  })
  const lines: string[] = []
  const print = vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line))
  onTestFinished(() => void print.mockRestore())
  const words = ["doctor", directory, "--no-browser", "--url", url ?? `http://127.0.0.1:${await freePort()}`]
  // The directory lacks what init adds, which is not looked at here.
  await expect(createParser(words).parseAsync()).rejects.toThrow(/found$/)
  return lines.findLast((line) => /^\w/.test(line)) ?? ""
}

let collector: RecordingCollector

beforeEach(async () => {
  for (const name of VARIABLES) vi.stubEnv(name, undefined)
  collector = await new RecordingCollector().listen()
})

afterEach(async () => {
  vi.unstubAllEnvs()
  await collector.close()
})

describe("an app that doctor starts", () => {
  test.each<[string, (endpoint: string) => Variables]>([
    ["nothing", () => ({})],
    ["a collector", (endpoint) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })],
    ["a collector of traces", (endpoint) => ({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${endpoint}/v1/traces` })],
    ["no exporter", () => ({ OTEL_TRACES_EXPORTER: "none" })],
  ])("exports to doctor though its .env names %s", async (_, variables) => {
    expect(await lastFinding(variables(collector.endpoint))).toMatch(
      /^ok {7}the collector has the trace [0-9a-f]{32}: pagespan doctor of /,
    )
    expect(collector.spans()).toEqual([])
  })

  test.each([
    ["OTEL_EXPORTER_OTLP_ENDPOINT", ""],
    ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "/v1/traces"],
  ] as const)("exports to the collector that the shell names by %s, where doctor does not look", async (name, path) => {
    vi.stubEnv(name, `${collector.endpoint}${path}`)
    const finding = await lastFinding({})
    const [span] = collector.spans()
    expect(finding).toBe(
      `note     ${name} names the collector at ${collector.endpoint}${path || "/"}: doctor did not look there for the trace ${span?.traceId}`,
    )
  })
})

test("doctor shows no password of a collector that the shell names, also where an inspector lacks the trace", async () => {
  const inspector = await new RecordingServer().listen()
  onTestFinished(() => inspector.close())
  inspector.answer = { status: 200, body: `{ "status": "ok", "queue": { "depth": 0, "oldestMs": 0 } }` }
  const url = `http://127.0.0.1:${inspector.port}`
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", "https://user:hunter2@collector.test/otlp?key=hunter2")
  expect(await lastFinding({}, url)).toMatch(
    /^note {5}OTEL_EXPORTER_OTLP_ENDPOINT names the collector at https:\/\/collector\.test\/otlp: doctor did not look there/,
  )
})

test.each([
  [{}, undefined],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "" }, undefined],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" }, undefined],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" }, true],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://[::1]:4318/v1/traces" }, true],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9999" }, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector.test:4318" }, false],
])("the variables %j name no collector, or the inspector at localhost:4318, or another: %s", (variables, expected) => {
  const named = namedCollector(variables)
  expect(named && isAt(named, "http://localhost:4318")).toBe(expected)
})
