import { describe, expect, it } from "vitest"
import { LOG_FIELDS, misspelledFields, parseFilter } from "#otel/inspector/search/index.ts"

/** `^` under the text marks the position of the problem. */
const PROBLEMS: readonly (readonly [text: string, position: string, message: string])[] = [
  ["duration>fast", "         ^^^^", "“fast” is not a duration with a unit, such as 500ms or 1.5s"],
  ["duration>500", "         ^^^", "“500” is not a duration with a unit, such as 500ms or 1.5s"],
  ["spans>many", "      ^^^^", "“many” is not a number"],
  ["status:bad", "       ^^^", "status is error or ok, not “bad”"],
  ["a status:500 b", "         ^^^", "status is error or ok, not “500”"],
  ["kind:page", "     ^^^^", "kind is unspecified, internal, server, client, producer or consumer, not “page”"],
  ["source:zipkin", "       ^^^^^^", "source is otlp, sentry or both, not “zipkin”"],
  ["service>web", "^^^^^^^^^^^", "service is text and has no >: write service:web"],
  ["http.status_code>=high", "                  ^^^^", "“high” is not a number"],
  ["service:", "^^^^^^^^", "service: needs a value"],
  ["service:()", "^^^^^^^^^^", "service: needs a value"],
  ["service:(a b", "^^^^^^^^^^^^", "The closing ) is missing"],
  ['name:"GET /', "     ^^^^^^", "The closing quote is missing"],
  ["(a OR b", "^", "The closing ) is missing"],
  ["a b)", "   ^", "This ) closes nothing"],
  ["{a", "^", "The closing } is missing"],
  ["a }", "  ^", "This } closes nothing"],
  ["()", "^^", "These brackets are empty"],
  ["a OR", "    ", "Something is missing here"],
  ["OR a", "^^", "Something is missing before OR"],
  ["missing:child", "        ^^^^^", "missing is root or parent, not “child”"],
  ["{missing:parent}", " ^^^^^^^", "missing applies to a whole trace, not to one span"],
  ["{spans>3}", " ^^^^^", "spans applies to a whole trace, not to one span"],
  ["{a {b}}", "   ^", "Braces match one span and cannot be nested"],
]

describe("a filter that does not parse", () => {
  it.each(PROBLEMS)("%s", (text, position, message) => {
    const start = position.includes("^") ? position.indexOf("^") : position.length
    const end = position.length
    expect(parseFilter(text)).toStrictEqual({ tree: undefined, problem: { message, start, end } })
  })

  it.each([
    ["a".repeat(2_001), "A filter has at most 2000 characters"],
    ["a ".repeat(61), "A filter has at most 60 terms"],
    [`${"(".repeat(13)}a${")".repeat(13)}`, "At most 12 parentheses can be nested"],
    [`${"-".repeat(13)}a`, "At most 12 parentheses can be nested"],
  ])("is refused because it is too large", (text, message) => {
    expect(parseFilter(text).problem?.message).toBe(message)
  })

  it("refuses a duration that no number holds", () => {
    expect(parseFilter(`duration>1${"0".repeat(309)}s`).problem?.message).toContain("a duration with a unit")
  })

  it("never throws, and the reported position is always inside the text", () => {
    let state = 42
    const next = (below: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
      return state % below
    }
    const PIECES = [
      '"',
      "(",
      ")",
      "{",
      "}",
      "-",
      ":",
      ">",
      "=",
      "!=",
      " ",
      "OR",
      "name",
      "duration",
      "5xx",
      "a*",
      "..",
      "\\",
      "µs",
      "10ms",
    ]
    for (let round = 0; round < 5_000; round++) {
      const text = Array.from({ length: next(12) }, () => PIECES[next(PIECES.length)]).join("")
      const { problem } = parseFilter(text)
      if (problem === undefined) continue
      expect(problem.start).toBeGreaterThanOrEqual(0)
      expect(problem.end).toBeGreaterThanOrEqual(problem.start)
      expect(problem.end).toBeLessThanOrEqual(text.length)
    }
  })
})

describe("a retained run", () => {
  const retained = parseFilter("service:web").tree
  const read = (text: string) => parseFilter(text, (name) => (name === "before" ? retained : undefined)).tree

  it("matches its own filter, and spans that name the run", () => {
    expect(read("run:before")).toMatchObject({ is: "or", nodes: [{ is: "some span" }, retained] })
    expect(read("run:after")).toMatchObject({ is: "some span" })
  })
})

it("a URL is read as a word and not as a field", () => {
  expect(parseFilter("https://shop.example/a?b=c").tree).toEqual(parseFilter('"https://shop.example/a?b=c"').tree)
})

describe("a key that is almost a field", () => {
  it.each([
    ["servic:x", ["servic is read as an attribute. Did you mean service?"]],
    [
      "stauts:error -rout:/cart",
      ["stauts is read as an attribute. Did you mean status?", "rout is read as an attribute. Did you mean route?"],
    ],
    ["Service:x", ["Service is read as an attribute. Did you mean service?"]],
    ["{ naem:x } naem:y", ["naem is read as an attribute. Did you mean name?"]],
    ["durration>5ms", ["durration is read as an attribute. Did you mean duration?"]],
  ])("of %s is said, with the field", (filter, sentences) => {
    expect(misspelledFields(filter)).toEqual(sentences)
  })

  it("of logs is one of theirs", () => {
    expect(misspelledFields("severty:error bodi:x rout:x", LOG_FIELDS)).toEqual([
      "severty is read as an attribute. Did you mean severity?",
      "bodi is read as an attribute. Did you mean body?",
    ])
  })

  it.each(["service:x", "http.rout:/a", '"servic":x', "tenant:x", "id:x", "plan:free", "servic", "(", ""])(
    "is none in %s",
    (filter) => {
      expect(misspelledFields(filter)).toEqual([])
    },
  )
})
