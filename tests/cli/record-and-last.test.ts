import { readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { gunzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { RunningApp } from "#tests/support/running-app.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { pagespan } from "./command-process.ts"

const PROGRAM = ["node", "tests/cli/reporting-program.mjs"]
const RECORDED_PROGRAM = ["node", "tests/cli/recorded-program.mjs"]

describe("with a running inspector", () => {
  let app: RunningApp
  let port: string
  let here: string[]

  beforeAll(async () => {
    app = await RunningApp.start({ PAGESPAN_SELF: "off" })
    port = new URL(app.url).port
    here = ["--url", app.url]
  })

  afterAll(async () => void (await app?.stop()))

  test("import restores what record wrote of a program that failed: spans, logs, errors of Sentry and drops", async () => {
    const file = join(await temporaryDirectory(), "failed.otlp.jsonl.gz")
    const recorded = await pagespan(["record", "--name", "recorded", "-o", file, "--", ...RECORDED_PROGRAM])
    expect(recorded.errors).toMatch(
      /wrote \S+failed.otlp.jsonl.gz \([\d.]+ k?B\): 7 spans of 1 trace, 1 log, 1 error of Sentry\n/,
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
