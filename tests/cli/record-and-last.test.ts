import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { constants, tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { gunzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { RunningApp } from "#tests/support/running-app.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { pagespan, startCommand } from "./command-process.ts"

const PROGRAM = ["node", "tests/cli/reporting-program.mjs"]
const VITEST = join(import.meta.dirname, "../../node_modules/vitest/vitest.mjs")
const VITEST_REPORTER = join(import.meta.dirname, "../../otel/testing/vitest-reporter.ts")
const RECORDED_PROGRAM = ["node", "tests/cli/recorded-program.mjs"]

describe("with a running inspector", () => {
  let app: RunningApp
  let port: string
  let here: string[]

  let sources: string
  let opened: string

  beforeAll(async () => {
    sources = mkdtempSync(join(tmpdir(), "pagespan-sources-"))
    opened = join(sources, "opened.txt")
    mkdirSync(join(sources, "app"))
    for (const name of ["cart.ts", "page.ts"]) writeFileSync(join(sources, "app", name), "")
    const editor = join(sources, "editor.mjs")
    writeFileSync(
      editor,
      `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(opened)}, process.argv[2])`,
    )
    app = await RunningApp.start({
      PAGESPAN_SELF: "off",
      PAGESPAN_SOURCE_ROOT: sources,
      PAGESPAN_EDITOR: `node ${editor} {file}:{line}:{column}`,
    })
    port = new URL(app.url).port
    here = ["--url", app.url]
  })

  afterAll(async () => {
    await app?.stop()
    rmSync(sources, { recursive: true })
  })

  test("import restores what record wrote of a program that failed: spans, logs, errors of Sentry and drops", async () => {
    const file = join(await temporaryDirectory(), "failed.otlp.jsonl.gz")
    const recorded = await pagespan(["record", "--name", "recorded", "-o", file, "--", ...RECORDED_PROGRAM])
    expect(recorded.errors).toMatch(
      /^pagespan: wrote \S+failed.otlp.jsonl.gz \([\d.]+ k?B\): 7 spans of 1 trace, 1 log, 1 error of Sentry\n/,
    )
    expect(recorded.errors).toContain("dropped: 3 × span at server: before_send")
    expect(recorded.code).toBe(3)
    expect((statSync(file).mode & 0o777).toString(8)).toBe("600")
    expect(readdirSync(dirname(file))).toEqual(["failed.otlp.jsonl.gz"])
    const lines = gunzipSync(readFileSync(file)).toString().trim().split("\n")
    expect(lines.every((line) => /^\{"resource(?:Spans|Logs)":\[/.test(line))).toBe(true)

    expect(await pagespan(["import", file, ...here])).toMatchObject({ code: 0, errors: "3 requests ingested\n" })
    await pagespan(["assert", "run:recorded status:error", "--count", "1", ...here])
    const read = async (path: string) => (await fetch(`${app.url}${path}`)).json() as Promise<Record<string, object[]>>
    await waitFor("the drops", async () => (await read("/api/dropped?reason=before_send"))["dropped"]!.length > 0)
    expect((await read("/api/logs?q=recorded-line"))["logs"]).toMatchObject([
      { body: "recorded-line", severityNumber: 13 },
    ])
    expect((await read("/api/errors?q=RangeError"))["issues"]).toMatchObject([
      { title: "RangeError: out of stock", count: 1, level: "error" },
    ])
    expect((await read("/api/dropped?reason=before_send"))["dropped"]).toMatchObject([{ category: "span", count: 3 }])
  })

  test("record: reporters of tests print the file, and no address that ends with it", async () => {
    const directory = await temporaryDirectory()
    const file = join(directory, "failed.otlp.jsonl.gz")
    writeFileSync(join(directory, "a.test.ts"), 'test("fails", () => expect(1).toBe(2))\n')
    const suite = [VITEST, "run", "--root", directory, "--globals", `--reporter=${VITEST_REPORTER}`]
    const { code, output } = await pagespan(["record", "--name", "suite", "-o", file, "--", "node", ...suite])
    expect(code).toBe(1)
    const [, traceId] = /^pagespan: a.test.ts › fails\n {2}trace ([0-9a-f]{32}) in (\S+)$/m.exec(output) ?? []
    expect(output).toContain(`pagespan: 1 trace of run suite in ${file}: npx pagespan import ${file} shows them`)
    expect(output).not.toMatch(/https?:/)
    expect(gunzipSync(readFileSync(file)).toString()).toContain(`"traceId":"${traceId}"`)
  })

  test("record finishes its file and removes its data when the terminal closes", async () => {
    const file = join(await temporaryDirectory(), "closed.otlp.jsonl.gz")
    const TMPDIR = await temporaryDirectory()
    const waiting = ["node", "-e", `console.log("up"); setInterval(() => {}, 1000)`]
    const command = startCommand(["record", "-o", file, "--", ...waiting], { TMPDIR })
    await waitFor("the program", () => command.output.includes("up"))
    expect(readdirSync(TMPDIR)).toHaveLength(1)
    command.child.kill("SIGHUP")
    const { code, errors } = await command.ended
    expect(code).toBe(128 + constants.signals.SIGHUP)
    expect(errors).toContain("closed.otlp.jsonl.gz (20 B): 0 spans")
    expect(errors).toContain("nothing was recorded: neither the program nor an app that it started sent")
    expect(readdirSync(dirname(file))).toEqual(["closed.otlp.jsonl.gz"])
    expect(readdirSync(TMPDIR)).toEqual([])
  })

  test("open --editor opens the file of the trace's error at its line, else the one that a span names", async () => {
    const send = async (traceId: string, more: object) => {
      const start = BigInt(Date.now() - 60_000) * 1_000_000n
      const times = { startTimeUnixNano: String(start), endTimeUnixNano: String(start + 5_000_000n) }
      const span = { traceId, spanId: "00f067aa0ba902b7", name: "priceCart", ...times, ...more }
      await fetch(`${app.url}/v1/traces`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }),
      })
      await waitFor("the span", async () => (await fetch(`${app.url}/api/traces/${traceId}`)).ok)
    }
    const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })
    const stack = `TypeError: price is undefined
    at check (node:assert:1:1)
    at price (/srv/shop/node_modules/prices/index.js:3:4)
    at priceCart (app/cart.ts:12:7)
    at page (app/page.ts:1:1)`
    const attributes = [
      text("exception.type", "TypeError"),
      text("exception.message", "price is undefined"),
      text("exception.stacktrace", stack),
    ]
    const page = [text("code.file.path", "app/page.ts"), { key: "code.line.number", value: { intValue: "30" } }]
    const [failed, named, neither] = ["1", "2", "3"].map((digit) => digit.repeat(32)) as [string, string, string]
    const timeUnixNano = String(BigInt(Date.now() - 60_000) * 1_000_000n)
    await send(failed, { attributes: page, events: [{ name: "exception", timeUnixNano, attributes }] })
    await send(named, { attributes: page })
    await send(neither, {})
    const issues = async () => (await (await fetch(`${app.url}/api/errors`)).json()) as { issues: { title: string }[] }
    await waitFor("the error", async () =>
      (await issues()).issues.some(({ title }) => /price is undefined/.test(title)),
    )

    expect(await pagespan(["open", failed, "--editor", ...here])).toMatchObject({
      code: 0,
      output: "app/cart.ts:12:7\n",
    })
    await waitFor("the editor", () => existsSync(opened) && readFileSync(opened, "utf8").endsWith("app/cart.ts:12:7"))
    expect(await pagespan(["open", named, "--editor", ...here])).toMatchObject({ code: 0, output: "app/page.ts:30\n" })
    await waitFor("the editor", () => readFileSync(opened, "utf8").endsWith("app/page.ts:30:1"))
    expect(await pagespan(["open", neither, "--editor", ...here])).toMatchObject({
      code: 4,
      errors: expect.stringContaining("No error and no span of the trace names a source file"),
    })
  })

  test("last prints the newest matching trace as a tree, with its address and without secrets", async () => {
    await pagespan(["run", "--name", "last", "--", ...PROGRAM], { PORT: port })
    await pagespan(["assert", "run:last status:error", ...here])
    const { code, output } = await pagespan(["last", "run:last", ...here])
    expect(code).toBe(0)
    const [address, empty, , ...lines] = output.split("\n")
    expect(address).toMatch(/^http:\S+\/traces\/[0-9a-f]{32}$/)
    expect(empty).toBe("")
    expect(lines.join("\n")).toMatch(
      /\n⟦GET \/cart⟧ .*\n {2}6 × ⟦SELECT items⟧|\n⟦GET \/cart⟧ [^]*\n {2}⟦SELECT items⟧/,
    )
    expect(output).not.toContain("opensesame")
    const json = await pagespan(["last", "run:last", "--json", ...here])
    expect(json.output).toContain(address!.slice(-32))
    expect(await pagespan(["last", "run:nothing", ...here])).toMatchObject({
      code: 4,
      errors: `No trace matches "run:nothing"\n`,
    })
    expect((await pagespan(["last", ...here])).code).toBe(0)
  })
})
