import { describe, expect, test } from "vitest"
import { parseLogFilter } from "#otel/inspector/search/index.ts"
import { severityOf } from "#otel/protocol/records/log.ts"

describe("a filter of logs", () => {
  test.each([
    ["duration>5ms", "duration", "body, severity, service"],
    ["spans:3", "spans", "body, severity, service"],
    ["kind:server", "kind", "body, severity, service"],
    ["run:before", "run", "any attribute by name"],
    ["span.name:x", "span.name", "body, severity, service"],
    ["status:error", "status", "write severity"],
    ["name:x", "name", "write body"],
    ["message:x", "message", "write body"],
  ])("%s is refused at its key, with the fields that logs have", (text, key, says) => {
    const { problem } = parseLogFilter(`service:shop ${text}`)
    expect(problem?.message).toMatch(new RegExp(`^Logs have no ${key}: `))
    expect(problem?.message).toContain(says)
    expect(problem).toMatchObject({ start: 13, end: 13 + key.length })
  })

  test("in braces is refused, since braces match one span", () => {
    expect(parseLogFilter("{severity:warn}").problem?.message).toMatch(/^Braces match one span/)
  })

  test("with an unknown severity is refused with the known ones", () => {
    expect(parseLogFilter("severity:loud").problem?.message).toBe(
      "severity is trace, debug, info, warn, warning, error or fatal, not “loud”",
    )
  })

  test.each([
    ["severity:warn", { from: 13, to: 16 }],
    ["severity=WARNING", { from: 13, to: 16 }],
    ["severity>=error", { from: 17 }],
    ["severity>warn", { from: 16, fromExcluded: true }],
    ["severity<info", { from: 1, to: 9, toExcluded: true }],
    ["severity<=info", { from: 1, to: 12 }],
  ])("%s is a range of severity numbers", (text, range) => {
    expect(parseLogFilter(text)).toEqual({ tree: { is: "severity", range }, problem: undefined })
  })

  test("with a quoted key names an attribute, even one with the name of a field", () => {
    const value = { is: "equal", text: "x" }
    const tree = { is: "attribute", names: ["status"], bags: ["record", "resource"], value }
    expect(parseLogFilter('"status":x').tree).toEqual(tree)
  })
})

test.each([
  [1, "", "trace"],
  [12, "", "info"],
  [13, "debug", "warn"],
  [24, "", "fatal"],
  [0, "Warning", "warn"],
  [0, "__proto__", undefined],
  [0, "", undefined],
] as const)("severity %s %j is %s", (severityNumber, severityText, severity) => {
  expect(severityOf({ severityNumber, severityText })).toBe(severity)
})
