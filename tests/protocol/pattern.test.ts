import { expect, test } from "vitest"
import { matchesPattern } from "#otel/protocol/pattern.ts"

test.each([
  ["SELECT*", "SELECT prices", true],
  ["SELECT *", "SELECT items", true],
  ["SELECT *", "SELECT", false],
  ["SELECT", "SELECT items", false],
  ["*items", "SELECT items", true],
  ["SE*T*s", "SELECT items", true],
  ["*.js", "/a.js", true],
  ["a*b", "aXb", true],
  ["a*b*c", "a1b2c", true],
  ["a*b*c", "a1c2b", false],
  ["ab*ba", "aba", false],
  ["ab*b", "ab", false],
  ["a*a", "a", false],
  ["a.c", "abc", false],
  ["(a+)+", "(a+)+", true],
  ["*", "", true],
  ["*", "SELECT items", true],
  ["a", "ab", false],
])("the pattern %s with %j: %s", (pattern, text, matches) => {
  expect(matchesPattern(text, pattern)).toBe(matches)
})
