import { describe, expect, test } from "vitest"
import { restoreAttributes, storeAttributes } from "#otel/inspector/store/rows/stored-attributes.ts"
import type { AttributeValue } from "#otel/protocol/records/attributes.ts"

/** Restores an attribute from its text in the collector's column. */
function roundTrip(value: AttributeValue): AttributeValue | undefined {
  const { text, types, exact } = storeAttributes(new Map([["name", value]]))
  const restored = restoreAttributes(Object.keys(text), Object.values(text), throughJson(types), throughJson(exact))
  return restored.get("name")
}

function throughJson<Part>(part: Part): Part {
  return part === undefined ? part : JSON.parse(JSON.stringify(part))
}

describe("an attribute is read back with its type", () => {
  test.each<[string, AttributeValue]>([
    ["text", "plain"],
    ["text that looks like a number", "42"],
    ["text that looks like a list", "[1,2]"],
    ["empty text", ""],
    ["the largest 64-bit integer", 2n ** 63n - 1n],
    ["the smallest 64-bit integer", -(2n ** 63n)],
    ["a double", 0.1],
    ["a whole double", 3],
    ["a double past what an integer holds", 1e300],
    ["not a number", Number.NaN],
    ["minus infinity", Number.NEGATIVE_INFINITY],
    ["negative zero", -0],
    ["true", true],
    ["false", false],
    ["nothing", null],
    ["bytes", new Uint8Array([0, 255, 7])],
    ["a list of texts", ["a", "", "c"]],
    ["a list of doubles", [1, 2.5]],
    ["a list of integers", [1n, 2n ** 60n]],
    ["a list with a negative zero", [-0]],
    ["a list with infinity", [Number.POSITIVE_INFINITY]],
    ["bytes inside a map inside a list", [new Map([["k", new Uint8Array([1])]])]],
    ["an empty list", []],
    [
      "a map with hostile names",
      new Map<string, AttributeValue>([
        ["__proto__", "p"],
        ["constructor", true],
      ]),
    ],
  ])("%s", (_name, value) => expect(roundTrip(value)).toStrictEqual(value))
})

test("an attribute may be named __proto__", () => {
  const { text, types } = storeAttributes(new Map<string, AttributeValue>([["__proto__", 5n]]))
  expect(JSON.stringify(text)).toBe('{"__proto__":"5"}')
  expect(restoreAttributes(Object.keys(text), Object.values(text), types, undefined).get("__proto__")).toBe(5n)
})

test("spans with the same names and types share one value of the types column, whatever their order", () => {
  const one = storeAttributes(
    new Map<string, AttributeValue>([
      ["a", 1n],
      ["b", 2n],
      ["c", true],
    ]),
  )
  const other = storeAttributes(
    new Map<string, AttributeValue>([
      ["b", 7n],
      ["a", 9n],
      ["c", false],
    ]),
  )
  expect(JSON.stringify(other.types)).toBe(JSON.stringify(one.types))
})

test("text that does not match its type stays text", () => {
  const restored = restoreAttributes(
    ["i", "d", "b", "j"],
    ["x1", "", "yes", "{"],
    { i: ["i"], d: ["d"], b: ["b"], j: ["j"] },
    undefined,
  )
  expect([...restored.values()]).toStrictEqual(["x1", "", "yes", "{"])
})
