import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { RunningApp } from "#tests/support/running-app.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"
import { pagespan } from "./command-process.ts"

/** Sixty page loads before and after a change that makes them slower by 50 ms, with five queries in place of two. */
const visits = (ms: number, queries: number, count = 60) => [
  "node",
  "tests/cli/shop-program.mjs",
  ...[count, ms, queries].map(String),
]

const VITEST = join(import.meta.dirname, "../../node_modules/vitest/vitest.mjs")
const VITEST_REPORTER = join(import.meta.dirname, "../../otel/testing/vitest-reporter.ts")

let directory: string
const inDirectory = (name: string) => join(directory, name)

async function budgets(content: object | string): Promise<string> {
  const file = join(await temporaryDirectory(), "pagespan.budgets.json")
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content, undefined, 2))
  return file
}

const verdicts = (output: string) =>
  output
    .split("\n")
    .filter((line) => /^(?:pass|fail|undecided) /.test(line))
    .map((line) => line.split(/ {2,}/).slice(0, 5).join(" | "))

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "pagespan-test-"))
  for (const [name, ms, queries] of [
    ["main", 100, 2],
    ["pr", 150, 5],
  ] as const) {
    const words = ["record", "--name", name, "-o", inDirectory(`${name}.gz`), "--", ...visits(ms, queries)]
    const { output, errors } = await pagespan(words)
    if (output !== "reported 60 visits: 200\n") throw new Error(output + errors)
  }
})

afterAll(() => rm(directory, { recursive: true, force: true }))

describe("budgets of recordings", () => {
  test("fail, hold and are undecided, in a table, JUnit XML, SARIF, Markdown, annotations and the exit code", async () => {
    const file = await budgets({
      baseline: "run:main",
      routes: {
        "/cart": {
          duration: { p75: ["1s", "+10%"] },
          LCP: { p75: "2.5s" },
          spans: { "SELECT *": { max: 3 } },
          bytes: { max: "1500B" },
        },
        "*": { duration: { max: "1us" }, requests: { max: 1 }, errors: { max: 0 } },
        "/gone": { duration: { p75: "1s" } },
      },
      dropped: { max: 0 },
    })
    const [junit, sarif, markdown, summary] = ["new/j.xml", "new/s.sarif", "m.md", "summary.md"].map(inDirectory) as [
      string,
      string,
      string,
      string,
    ]
    const reports = ["--junit", junit, "--sarif", sarif, "--markdown", markdown]
    const recordings = ["--file", inDirectory("pr.gz"), "--file", inDirectory("main.gz")]
    const { code, output } = await pagespan(["assert", "--budgets", file, ...recordings, ...reports], {
      GITHUB_ACTIONS: "true",
      GITHUB_STEP_SUMMARY: summary,
    })
    expect(verdicts(output)).toEqual([
      "fail | /cart (page loads) | duration p75 | 195 ms | +10%",
      "fail | /cart (page loads) | spans SELECT * max | 5 | 3",
      "undecided | /gone | duration p75 | - | 1s",
      "pass | all data | dropped max | 0 | 0",
      "pass | /cart (page loads) | duration p75 | 195 ms | 1s",
      "pass | /cart (page loads) | LCP p75 | 97.5 ms | 2.5s",
      "pass | /cart (page loads) | bytes max | 1.5 kB | 1500B",
      "pass | /cart (page loads) | requests max | 1 | 1",
      "pass | /cart (page loads) | errors max | 0 | 0",
    ])
    expect(output).toContain("over the limit, beyond chance; baseline 145 ms of 60")
    expect(output).toContain("Budgets fail: 2 failed, 1 undecided, 6 passed")
    expect(output.match(/^::error file=[^\n]*pagespan\.budgets\.json,line=\d+,title=/gm)).toHaveLength(2)
    expect(code).toBe(1)
    expect(readFileSync(junit, "utf8")).toContain(`tests="9" failures="2" errors="0" skipped="1"`)
    expect(
      (JSON.parse(readFileSync(sarif, "utf8")) as { runs: { results: object[] }[] }).runs[0]!.results,
    ).toHaveLength(3)
    expect(readFileSync(summary, "utf8")).toBe(readFileSync(markdown, "utf8"))
  })

  test("a file that is no recording is a usage error, which leaves no directory", async () => {
    const file = await budgets({ dropped: { max: 0 } })
    const temporary = await temporaryDirectory()
    const words = ["assert", "--budgets", file, "--file", file]
    expect(await pagespan(words, { TMPDIR: temporary })).toMatchObject({
      code: 2,
      output: "",
      errors: expect.stringContaining("is not OTLP/JSON"),
    })
    expect(readdirSync(temporary).filter((name) => name.startsWith("pagespan-"))).toEqual([])
  })
})

test("a program is run until its relative limits are decided, and no further", async () => {
  const file = await budgets({ baseline: "run:main", routes: { "/cart": { duration: { p75: "+10%" } } } })
  const measured = ["assert", "run:pr", "--budgets", file, "--file", inDirectory("main.gz"), "--repeat", "9"]
  const { code, output, errors } = await pagespan([...measured, "--", ...visits(300, 2, 12)])
  expect(errors).toContain("pagespan: 1 undecided after run 1 of at most 9")
  expect(output.match(/^reported 12 visits: 200$/gm)).toHaveLength(2)
  // Only what the program and the report print.
  expect(output).toMatch(/^(?:reported 12 visits: 200\n){2}VERDICT /)
  expect(verdicts(output)).toEqual(["fail | /cart (page loads) | duration p75 | 309 ms | +10%"])
  expect(code).toBe(1)
})

test("a program is not run again for what it does not measure, or what has no baseline", async () => {
  const routes = { "/cart": { INP: { p75: "1s" }, duration: { p75: "+10%" } }, "/gone": { duration: { p75: "1s" } } }
  const file = await budgets({ baseline: "run:gone", routes })
  const { code, output, errors } = await pagespan([
    "assert",
    "--budgets",
    file,
    "--repeat",
    "9",
    "--",
    ...visits(5, 2, 30),
  ])
  expect(errors).toBe(
    "pagespan: 3 undecided after run 1 of at most 9\npagespan: more runs would decide none: they have no samples, or no baseline\n",
  )
  expect(output.match(/^reported 30 visits: 200$/gm)).toHaveLength(1)
  expect(code).toBe(0)
})

test("budgets of a running inspector are measured by the filter, undecided ones pass without --strict, and a failing program has its own exit code", async () => {
  const app = await RunningApp.start({ PAGESPAN_SELF: "off" })
  const file = await budgets({ routes: { "*": { spans: { "SELECT items": { p95: 2 } } } } })
  try {
    const run = (name: string, queries: number) =>
      pagespan(["run", "--name", name, "--", ...visits(5, queries, 3)], { PORT: new URL(app.url).port })
    await run("few", 1)
    await run("many", 4)
    const of = (filter: string) => pagespan(["assert", filter, "--budgets", file, "--within", "60s", "--url", app.url])
    const [few, many] = [await of("run:few"), await of("run:many")]
    expect([few.code, many.code]).toEqual([0, 1])
    expect(many.output).toMatch(new RegExp(`largest in ${app.url}/traces/[0-9a-f]{32}`))
    const gone = await budgets({ routes: { "/gone": { duration: { p75: "1s" } } } })
    const undecided = ["assert", "--budgets", gone, "--within", "0s", "--url", app.url]
    const passed = await pagespan(undecided)
    expect(passed.output).toContain("The budgets are undecided: 1 undecided, 0 passed")
    expect([passed.code, (await pagespan([...undecided, "--strict"])).code]).toEqual([0, 1])
    const bad = await fetch(`${app.url}/api/budgets`, {
      method: "POST",
      body: JSON.stringify({ budgets: { route: {} } }),
    })
    expect([bad.status, await bad.json()]).toEqual([400, { message: "route is not known. Did you mean routes?" }])
    const large = await fetch(`${app.url}/api/budgets`, { method: "POST", body: " ".repeat(65_537) })
    expect(large.status).toBe(413)
    const foreign = await fetch(`${app.url}/api/budgets`, {
      method: "POST",
      body: "{}",
      headers: { origin: "http://evil.test" },
    })
    expect(foreign.status).toBe(403)
  } finally {
    await app.stop()
  }
  const failing = await pagespan(["assert", "--budgets", file, "--", "node", "-e", "process.exit(7)"])
  expect(failing.code).toBe(7)
})

test("reporters of tests print no address of an inspector that ends with the budgets' verdict", async () => {
  const suite = await temporaryDirectory()
  writeFileSync(join(suite, "a.test.ts"), 'test("fails", () => expect(1).toBe(2))\n')
  const file = await budgets({ routes: { "*": { duration: { max: "60s" } } } })
  const vitest = [VITEST, "run", "--root", suite, "--globals", `--reporter=${VITEST_REPORTER}`]
  const { code, output } = await pagespan(["assert", "run:suite", "--budgets", file, "--", "node", ...vitest])
  expect(code).toBe(1)
  expect(output).toMatch(/^pagespan: a.test.ts › fails\n {2}trace [0-9a-f]{32}$/m)
  expect(output).toMatch(/^pagespan: 1 trace of run suite$/m)
  expect(output).not.toMatch(/https?:/)
})

test("a report that cannot be written is a usage error, before the program runs, and so is a report of no budgets", async () => {
  const file = await budgets({ dropped: { max: 0 } })
  const junit = join(file, "j.xml")
  expect(await pagespan(["assert", "--budgets", file, "--junit", junit, "--", "node", "-e", "console.log(1)"])).toEqual(
    {
      code: 2,
      output: "",
      errors: `${file} cannot be written (EEXIST)\n`,
    },
  )
  expect(await pagespan(["assert", "run:main", "--junit", junit])).toEqual({
    code: 2,
    output: "",
    errors: "--junit needs --budgets\n",
  })
})

test.each([
  ["{", "is not JSON"],
  [{ routes: { "/a": { duraton: {} } } }, `routes["/a"].duraton is not known. Did you mean duration?`],
  [{ baseline: "duration>", routes: { "/a": { duration: { p75: "+1%" } } } }, "duration>\n"],
])("budgets %j are a usage error, before anything is measured", async (content, message) => {
  const { code, output, errors } = await pagespan([
    "assert",
    "--budgets",
    await budgets(content),
    "--url",
    "http://localhost:9",
  ])
  expect(errors).toContain(message)
  expect({ code, output }).toEqual({ code: 2, output: "" })
})
