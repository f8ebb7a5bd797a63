import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { testsBelow } from "./named-tests.ts"

/** Cases of Sentry's own suite that are no concern of pages and servers with the App Router. */
const LEFT_OUT = new Set([32, 33, 58, 78, 79])
const CASES = Array.from({ length: 80 }, (_, index) => index + 1).filter((number) => !LEFT_OUT.has(number))

const rows = readFileSync("docs/reference/sentry-parity.md", "utf8")
  .split("\n")
  .filter((line) => /^\| \d/.test(line))
  .map((line) => line.slice(2, -2).split(" | "))
  .map((cells) => ({
    cases: cells[0]!.split(", ").map(Number),
    said: cells.slice(1, 3),
    tests: [...cells.at(-1)!.matchAll(/"([^"]+)"/g)].map(([, name]) => name!),
  }))

test("every case of Sentry's suite is in the table, once", () => {
  expect(rows.flatMap(({ cases }) => cases).toSorted((a, b) => a - b)).toEqual(CASES)
})

test("every case says what Sentry does and what Pagespan does, and names a test that is there", () => {
  const isTest = testsBelow("tests")
  expect(rows.filter(({ said }) => said.length !== 2 || said.includes(""))).toEqual([])
  expect(rows.filter(({ tests }) => tests.length === 0)).toEqual([])
  expect(rows.flatMap(({ tests }) => tests).filter((name) => !isTest(name))).toEqual([])
  expect(isTest("a test that nobody wrote")).toBe(false)
})
