import { describe, expect, test } from "vitest"
import { annotations } from "#otel/cli/budget-report/annotations.ts"
import { describeResult, sentence } from "#otel/cli/budget-report/describe.ts"
import { junitXml } from "#otel/cli/budget-report/junit.ts"
import { markdownText } from "#otel/cli/budget-report/markdown.ts"
import { lineOf, sarifLog } from "#otel/cli/budget-report/sarif.ts"
import { tableText } from "#otel/cli/budget-report/table.ts"
import type { BudgetReport, BudgetResult } from "#otel/inspector/queries/budgets/budgets.ts"

/** Names as a hostile program could send them: markup of every format, control characters, half of a character. */
const HOSTILE = `/a"b'<script>&]]>%0A::error::x|*_\`[l](u)\u0000\u001b[31m\ud800\r\n\u2028`

const result = (over: Partial<BudgetResult>): BudgetResult => ({
  route: "/cart",
  kind: "load",
  metric: "duration",
  span: null,
  stat: "p75",
  limit: "800ms",
  unit: "ms",
  path: ["routes", "/cart", "duration", "p75"],
  traceId: "ab".repeat(16),
  verdict: "pass",
  reason: "",
  value: 912,
  bound: 800,
  samples: 24,
  baseline: null,
  change: null,
  samplesNeeded: null,
  ...over,
})

const RESULTS = [
  result({ verdict: "fail", reason: "over the limit", route: HOSTILE }),
  result({ verdict: "fail", metric: "spans", span: HOSTILE, stat: "max", limit: "3", value: 5, unit: "count" }),
  result({ verdict: "undecided", reason: "no page load was measured", value: null, samples: 0 }),
  result({ verdict: "pass", value: 1_234 }),
  result({ metric: "bytes", unit: "bytes", value: 300_000, limit: "300kB" }),
]
const SHOWN = RESULTS.map(describeResult)
const SOURCE = {
  path: "budgets of ci/pagespan.budgets.json",
  text: `{\n "routes": {\n  "/cart": {\n   "LCP": {\n    "p75": 1 },\n   "duration": {\n    "p75": "1s" } } } }`,
}
const REPORT: BudgetReport = {
  verdict: "fail",
  counts: { fail: 2, undecided: 1, pass: 2 },
  results: RESULTS,
  omitted: 0,
  traces: { current: null, sampled: null },
}

/** Elements of an XML text by name, with their attributes. Throws where it is not well-formed. */
function elementsOf(xml: string): { name: string; attributes: Record<string, string> }[] {
  const open: string[] = []
  const elements: { name: string; attributes: Record<string, string> }[] = []
  const body = xml.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, "")
  expect(body).not.toBe(xml)
  // oxlint-disable-next-line no-control-regex -- XML does not allow these
  expect(body).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/u)
  let rest = body
  while (rest !== "") {
    const tag = /^<(?:\/(?<close>\w+)|(?<name>\w+)(?<attributes>(?: \w+="[^"<]*")*)(?<empty>\/)?)>/.exec(rest)
    const text = /^[^<]+/.exec(rest)?.[0]
    const part = tag?.[0] ?? text ?? ""
    if (part === "") throw new Error(`not XML: ${rest.slice(0, 80)}`)
    for (const entity of part.match(/&[^;]*;?/g) ?? []) expect(entity).toMatch(/^&(?:amp|lt|gt|quot|apos|#\d+);$/)
    const { close, name, attributes = "", empty } = tag?.groups ?? {}
    if (close !== undefined) expect(open.pop()).toBe(close)
    if (name !== undefined) {
      elements.push({
        name,
        attributes: Object.fromEntries(
          [...attributes.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value]),
        ),
      })
      if (empty === undefined) open.push(name)
    }
    rest = rest.slice(part.length)
  }
  expect(open).toEqual([])
  return elements
}

describe("JUnit XML", () => {
  test("is well-formed with hostile names, and counts failures and undecided limits", () => {
    const elements = elementsOf(junitXml(SHOWN, false))
    expect(elements[0]).toMatchObject({ name: "testsuites", attributes: { tests: "5", failures: "2", skipped: "1" } })
    const count = (name: string) => elements.filter((each) => each.name === name).length
    expect([count("testsuite"), count("testcase"), count("failure"), count("skipped")]).toEqual([2, 5, 2, 1])
  })

  test("has an undecided limit as a failure where it is strict", () => {
    const elements = elementsOf(junitXml(SHOWN, true))
    expect(elements[0]?.attributes).toMatchObject({ failures: "3", skipped: "0" })
    expect(elements.filter(({ name }) => name === "failure")).toHaveLength(3)
  })
})

test("SARIF has the fields that 2.1.0 requires, at the lines of the budget file", () => {
  const log = JSON.parse(JSON.stringify(sarifLog(SHOWN, SOURCE, "1.2.3", false))) as Record<string, unknown>
  expect(log).toMatchObject({
    version: "2.1.0",
    $schema: expect.stringMatching(/^https:.*sarif-schema-2\.1\.0\.json$/),
  })
  const [run] = log["runs"] as { tool: { driver: { name: string; rules: { id: string }[] } }; results: SarifResult[] }[]
  expect(run!.tool.driver.name).toBe("pagespan")
  expect(run!.results).toHaveLength(3)
  for (const { ruleId, ruleIndex, level, message, locations } of run!.results) {
    expect(run!.tool.driver.rules[ruleIndex]?.id).toBe(ruleId)
    expect(["none", "note", "warning", "error"]).toContain(level)
    expect(message.text).not.toBe("")
    const { artifactLocation, region } = locations[0]!.physicalLocation
    expect(new URL(artifactLocation.uri, "file:///srv/").pathname).toBe("/srv/budgets%20of%20ci/pagespan.budgets.json")
    expect(region.startLine).toBeGreaterThanOrEqual(1)
  }
  expect(run!.results.map(({ level }) => level)).toEqual(["error", "error", "note"])
  expect(run!.results[0]!.locations[0]!.physicalLocation.region.startLine).toBe(7)
  expect(lineOf(SOURCE.text, ["routes", "/cart", "LCP", "p75"])).toBe(5)
})

interface SarifResult {
  readonly ruleId: string
  readonly ruleIndex: number
  readonly level: string
  readonly message: { readonly text: string }
  readonly locations: readonly {
    readonly physicalLocation: {
      readonly artifactLocation: { readonly uri: string }
      readonly region: { readonly startLine: number }
    }
  }[]
}

/** As the runner of GitHub Actions decodes the parts of a command. */
const decoded = (text: string) =>
  text
    .replaceAll("%0D", "\r")
    .replaceAll("%0A", "\n")
    .replaceAll("%3A", ":")
    .replaceAll("%2C", ",")
    .replaceAll("%25", "%")

test("annotations are one workflow command each, whatever the names have", () => {
  const lines = annotations(SHOWN, SOURCE, false)
  expect(lines).toHaveLength(3)
  for (const line of lines) {
    expect(line).not.toMatch(/[\r\n]/)
    const [, command, properties = ""] = /^::(\w+) ([^:]*)::/.exec(line) ?? []
    expect(["error", "notice"]).toContain(command)
    expect(properties.split(",").map((each) => each.split("=", 1)[0])).toEqual(["file", "line", "title"])
  }
  const [, title = "", message = ""] = /,title=([^:]*)::([^]*)$/.exec(lines[0]!) ?? []
  expect([title, message].map(decoded)).toEqual([`Budget of ${SHOWN[0]!.subject}`, sentence(SHOWN[0]!)])
})

test("the Markdown is one row for each limit, without markup of a name", () => {
  const text = markdownText(REPORT, SHOWN)
  const rows = text.split("\n").filter((line) => line.startsWith("| "))
  expect(rows).toHaveLength(6)
  for (const row of rows) expect(row.split("|")).toHaveLength(9)
  expect(text).not.toMatch(/<script|\[l\]|`/)
  expect(text).toMatch(/^### Budgets fail: 2 failed, 1 undecided, 2 passed\n/)
})

test("the table has aligned columns, the reason, and the trace to look at", () => {
  const lines = tableText(SHOWN.slice(2)).split("\n")
  expect(lines).toEqual([
    "VERDICT    ROUTE               FIGURE        MEASURED  LIMIT  SAMPLES",
    "undecided  /cart (page loads)  duration p75  -         800ms  0",
    "  no page load was measured",
    `  largest in trace ${"ab".repeat(16)}`,
    "pass       /cart (page loads)  duration p75  1.23 s    800ms  24",
    "pass       /cart (page loads)  bytes p75     300 kB    300kB  24",
  ])
  expect(tableText(SHOWN.slice(2, 3), "http://localhost:4318")).toContain(
    `  largest in http://localhost:4318/traces/${"ab".repeat(16)}`,
  )
  // oxlint-disable-next-line no-control-regex -- a terminal would execute these
  expect(tableText(SHOWN)).not.toMatch(/[\u0000\u001b\r]/)
})
