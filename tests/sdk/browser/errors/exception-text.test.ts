import { expect, test } from "vitest"
import { EXCEPTION_TEXT_LIMIT } from "#otel/protocol/limits.ts"
import { exceptionText } from "#otel/sdk/browser/errors/exception-text.ts"

test("a text up to the limit stays whole", () => {
  const text = "x".repeat(EXCEPTION_TEXT_LIMIT)
  expect(exceptionText(text)).toBe(text)
})

test("a longer text ends with the last whole word, so that no secret is cut in half", () => {
  const words = `${"word ".repeat(EXCEPTION_TEXT_LIMIT / 5 - 4)}token `
  expect(exceptionText(`${words}ghp_${"a".repeat(36)} and more`)).toBe(words)
  expect(exceptionText("x".repeat(EXCEPTION_TEXT_LIMIT + 1))).toBe("")
})

test.each([[undefined], [null], [7], [["a"]]])("%j, which an app set as its message, stays as it is", (value) => {
  expect(exceptionText(value)).toBe(value)
})
