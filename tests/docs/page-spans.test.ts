import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

/** Rows of the table that says what Sentry's SDK does and what Pagespan does: the case, and the test that shows it. */
const rows = readFileSync("docs/guide/page-spans.md", "utf8")
  .split(/^## What Sentry's SDK does/m)[1]!
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| case "))
  .map((line) => line.split(" | "))
  .map((cells) => ({ what: cells[0]!.slice(2), named: cells.at(-1)!.replace(/ \|$/, "") }))

const sources = ["tests/browser", "tests/app"]
  .flatMap((directory) => readdirSync(directory, { recursive: true, withFileTypes: true }))
  .filter(({ name }) => name.endsWith(".ts"))
  .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"))

/** `…` stands for what a test's name leaves open. */
function isTest(named: string): boolean {
  const parts = named.split("…").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  const name = new RegExp(`(?:test(?:\\.\\w+)*\\(|what: |\\]\\)\\(|\\)\\()\\s*["'\`]${parts.join("[^\\n]*")}`)
  return sources.some((source) => name.test(source))
}

test("every row of the table against Sentry's SDK names a test that is there", () => {
  expect(rows.length).toBeGreaterThan(15)
  expect(rows.filter(({ named }) => !isTest(named))).toEqual([])
  expect(isTest("a test that nobody wrote")).toBe(false)
})
