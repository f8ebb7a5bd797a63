import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { testsBelow } from "./named-tests.ts"

/** Cases of Sentry's suite that do not concern pages and servers with the App Router. */
const NOT_APPLICABLE = new Set([32, 33, 58, 78, 79])
const CASES = Array.from({ length: 80 }, (_, index) => index + 1).filter((number) => !NOT_APPLICABLE.has(number))

const rows = readFileSync("docs/reference/sentry-parity.md", "utf8")
  .split("\n")
  .filter((line) => /^\| \d/.test(line))
  .map((line) => line.slice(2, -2).split(" | "))
  .map((cells) => ({
    cases: cells[0]!.split(", ").map(Number),
    behaviours: cells.slice(1, 3),
    tests: [...cells.at(-1)!.matchAll(/"([^"]+)"/g)].map(([, name]) => name!),
  }))

test("the table has every case of Sentry's suite once", () => {
  expect(rows.flatMap(({ cases }) => cases).toSorted((a, b) => a - b)).toEqual(CASES)
})

test("every case has Sentry's behaviour, Pagespan's behaviour and a test that exists", () => {
  const isTest = testsBelow("tests")
  expect(rows.filter(({ behaviours }) => behaviours.length !== 2 || behaviours.includes(""))).toEqual([])
  expect(rows.filter(({ tests }) => tests.length === 0)).toEqual([])
  expect(rows.flatMap(({ tests }) => tests).filter((name) => !isTest(name))).toEqual([])
  expect(isTest("a test that does not exist")).toBe(false)
})
