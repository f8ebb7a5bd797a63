import { describe, expect, it } from "vitest"
import {
  attributeText,
  completed,
  completingAt,
  FIELDS,
  hasTerm,
  parseFilter,
  parseLogFilter,
  quoteIfNeeded,
  replaceField,
  termText,
  toggleTerm,
  withoutFields,
} from "#otel/inspector/search/index.ts"

/** `|` marks the cursor. */
function completionAt(marked: string) {
  return completingAt(marked.replace("|", ""), marked.indexOf("|"))
}

describe("a completion", () => {
  it.each([
    ["|", { what: "key", typed: "", place: { start: 0, end: 0 } }],
    ["sta|", { what: "key", typed: "sta", place: { start: 0, end: 3 } }],
    ["a -sta|", { what: "key", typed: "sta", place: { start: 3, end: 6 } }],
    ["(status:error OR ro|", { what: "key", typed: "ro", place: { start: 17, end: 19 } }],
    ["sta|tus:error", { what: "key", typed: "sta", place: { start: 0, end: 6 } }],
    ["status:|", { what: "value", key: "status", typed: "", place: { start: 7, end: 7 } }],
    ["status:er|r b", { what: "value", key: "status", typed: "er", place: { start: 7, end: 10 } }],
    ['name:"GET /|', { what: "value", key: "name", typed: "GET /", place: { start: 5, end: 11 } }],
    ["service:(web ap|)", { what: "value", key: "service", typed: "ap", place: { start: 13, end: 15 } }],
    ["a | b", { what: "key", typed: "", place: { start: 2, end: 2 } }],
  ])("%s", (marked, expected) => {
    expect(completionAt(marked)).toEqual(expected)
  })

  it("replaces the typed text and puts the cursor behind it", () => {
    expect(completed("a sta b", { start: 2, end: 5 }, "status:")).toEqual({ text: "a status: b", cursor: 9 })
    expect(completed("status:er", { start: 7, end: 9 }, "error")).toEqual({ text: "status:error ", cursor: 13 })
    expect(completed("(kind:s)", { start: 6, end: 7 }, "server")).toEqual({ text: "(kind:server)", cursor: 12 })
  })
})

describe("a value that is inserted into a filter", () => {
  it.each([
    "web",
    "/cart/[id]",
    "/users/{id}",
    "2.14.1",
    "GET /cart",
    'say "hi"',
    "a*b",
    "5xx",
    "(odd",
    "a)b",
    "",
    "1..2",
    "\\",
    "OR",
  ])("%s matches itself", (value) => {
    const { tree, problem } = parseFilter(termText("some.attribute", value))
    expect(problem).toBeUndefined()
    expect(tree).toMatchObject({ where: { is: "attribute", value: { is: "equal", text: value } } })
  })

  it.each([
    ...FIELDS.map(({ key }) => key),
    "route",
    "env",
    "release",
    "resource.name",
    "event.kind",
    "root.cause",
    "größe",
    "aws:autoscaling:groupName",
    'a "b" \\\\ c',
    "OR",
    "http.route",
  ])("is that of the attribute %s", (name) => {
    const text = attributeText(name, "x")
    const test = { is: "attribute", value: { is: "equal", text: "x" } }
    expect(parseFilter(text).tree).toMatchObject({ where: test })
    expect(parseFilter(text).tree).toMatchObject({ where: { names: expect.arrayContaining([name]) } })
    expect(parseLogFilter(text).tree).toMatchObject({ ...test, names: expect.arrayContaining([name]) })
  })

  it("has no quotes if it needs none", () => {
    expect(["web", "/cart/[id]", "/users/{id}"].map(quoteIfNeeded)).toEqual(["web", "/cart/[id]", "/users/{id}"])
  })
})

describe("a term that is toggled", () => {
  it.each([
    ["", "status:error", "status:error"],
    ["status:error", "status:error", ""],
    ["a status:error b", "status:error", "a b"],
    ["-status:error", "status:error", "status:error"],
    ["status:error x", "-status:error", "x -status:error"],
    ["a OR b", "status:error", "(a OR b) status:error"],
    ["(status:error OR b)", "status:error", "(status:error OR b) status:error"],
    ['name:"GET /a" b', 'name:"GET /a"', "b"],
    ["service:shop AND status:error", "service:shop", "service:shop AND status:error service:shop"],
    ["service:shop OR b", "service:shop", "(service:shop OR b) service:shop"],
    ["NOT service:shop", "service:shop", "NOT service:shop service:shop"],
  ])("%s with %s is %s", (text, term, expected) => {
    expect(toggleTerm(text, term)).toBe(expected)
    expect(parseFilter(expected).problem).toBeUndefined()
  })

  it("is found at the top level only", () => {
    expect(hasTerm("a status:error", "status:error")).toBe(true)
    expect(hasTerm("-status:error", "status:error")).toBe(false)
    expect(hasTerm("-status:error", "-status:error")).toBe(true)
    expect(hasTerm("{status:error}", "status:error")).toBe(false)
    expect(hasTerm("NOT status:error", "status:error")).toBe(false)
    expect(hasTerm("status:error OR b", "status:error")).toBe(false)
  })
})

describe("the terms of a field", () => {
  it.each([
    ["", ""],
    ["duration>1s", ""],
    ["service:shop duration>1s -status:error duration<2s x", "service:shop x"],
    ["{duration>1s} (status:error)", "{duration>1s} (status:error)"],
    ['"status":error status', '"status":error status'],
    ["a OR status:error", undefined],
    ["a AND status:error", undefined],
    ["NOT status:error", undefined],
  ])("are taken out of %j: %j", (text, expected) => {
    expect(withoutFields(text, new Set(["status", "duration"]))).toBe(expected)
  })

  it.each([
    ["", "duration>=1s duration<2s"],
    ["service:shop duration>5ms", "service:shop duration>=1s duration<2s"],
    ["a OR duration>1s", "(a OR duration>1s) duration>=1s duration<2s"],
  ])("replace those of %j: %j", (text, expected) => {
    expect(replaceField(text, "duration", ["duration>=1s", "duration<2s"])).toBe(expected)
    expect(parseFilter(expected).problem).toBeUndefined()
  })
})
