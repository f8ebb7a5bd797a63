import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { testsBelow } from "./named-tests.ts"

/** The rows of the comparison with Sentry's SDK: the case, and the test that shows it. */
const rows = readFileSync("docs/guide/page-spans.md", "utf8")
  .split(/^## What Sentry's SDK does/m)[1]!
  .split(/^## /m)[0]!
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| case "))
  .map((line) => line.split(" | "))
  .map((cells) => ({ what: cells[0]!.slice(2), named: cells.at(-1)!.replace(/ \|$/, "") }))

const isTest = testsBelow("tests/sdk/browser", "tests/app")

test("every row of the comparison with Sentry's SDK names a test that exists", () => {
  expect(rows.length).toBeGreaterThan(15)
  expect(rows.filter(({ named }) => !isTest(named))).toEqual([])
  expect(isTest("a test that does not exist")).toBe(false)
})
