import { expect, test } from "vitest"
import { redactAttribute } from "#otel/protocol/redact.ts"
import { CleanTexts } from "#otel/sdk/sentry/clean-texts.ts"

/** Redacts as spans are redacted, and counts how often. */
function counting() {
  const texts = new CleanTexts()
  const seen: string[] = []
  const redact = <Value>(key: string, value: Value) => {
    seen.push(`${key}: ${value}`)
    return redactAttribute(key, value)
  }
  return { seen, redacted: (key: string, value: unknown) => texts.redacted(key, value, redact) }
}

test("a text without a secret is redacted once for each key, and any other each time", () => {
  const { seen, redacted } = counting()
  for (let request = 0; request < 3; request++) {
    expect(redacted("next.route", "/items/[id]")).toBe("/items/[id]")
    // The same text is an address under one key, and a secret under another.
    expect(redacted("note", "/items/[id]?q=1")).toBe("/items/[id]?q=1")
    expect(redacted("url.path", "/items/[id]?q=1")).toBe("/items/[id]")
    expect(redacted("password", "/items/[id]")).toBe("[Filtered]")
    expect(redacted("note", "password=hunter2")).toBe("password=[Filtered]")
    expect(redacted("count", 3)).toBe(3)
  }
  const timesOf = (text: string) => seen.filter((each) => each === text).length
  expect([timesOf("next.route: /items/[id]"), timesOf("note: /items/[id]?q=1")]).toEqual([1, 1])
  expect([timesOf("url.path: /items/[id]?q=1"), timesOf("password: /items/[id]")]).toEqual([3, 3])
  expect(timesOf("note: password=hunter2")).toBe(3)
})

test("what is remembered is bounded in number and length", () => {
  const { seen, redacted } = counting()
  redacted("url.path", "/first")
  for (let visitor = 0; visitor < 2_000; visitor++) redacted("url.path", `/visitors/${visitor}`)
  redacted("url.path", "/first")
  expect(seen.filter((each) => each === "url.path: /first")).toHaveLength(2)
  const long = "a".repeat(20_000).replaceAll("aaaaaaaaaa", "aaaaaaaaa ")
  for (let time = 0; time < 2; time++) redacted("note", long)
  expect(seen.filter((each) => each === `note: ${long}`)).toHaveLength(2)
})
