import { describe, expect, test } from "vitest"
import { reportingEnvironment } from "#otel/cli/reporting-program.ts"
import { eventsOf } from "#otel/cli/commands/tail.ts"
import { parseComparison } from "#otel/cli/options.ts"
import { dropLine, errorLine, isDesktop, logLine, spanLine, traceLine } from "#otel/cli/terminal.ts"
import { plain } from "#otel/protocol/line-text.ts"
import { FORGED } from "#tests/inspector/mcp/forged-texts.ts"
import { queriesOf } from "#tests/inspector/mcp/queries-of.ts"

describe("a browser opens", () => {
  test.each([
    [{ DISPLAY: ":0" }, true, "linux", true],
    [{ WAYLAND_DISPLAY: "wayland-0" }, true, "linux", true],
    [{}, true, "linux", false],
    [{}, true, "darwin", true],
    [{ DISPLAY: ":0" }, false, "linux", false],
    [{ DISPLAY: ":0", CI: "true" }, true, "linux", false],
    [{ SSH_CONNECTION: "10.0.0.1 1 10.0.0.2 22" }, true, "darwin", false],
  ] as const)("with %o, on a terminal %s, on %s: %s", (environment, isTerminal, platform, expected) => {
    expect(isDesktop(environment as unknown as NodeJS.ProcessEnv, isTerminal, platform)).toBe(expected)
  })
})

describe("the environment of a program that run starts", () => {
  test("adds the run to the resource attributes that are set", () => {
    const set = reportingEnvironment({ OTEL_RESOURCE_ATTRIBUTES: "team=web" }, "http://localhost:4318", "r1")
    expect(set["OTEL_RESOURCE_ATTRIBUTES"]).toBe("team=web,pagespan.run=r1")
    expect(set["SENTRY_SPOTLIGHT"]).toBe("http://localhost:4318/stream")
    expect(set["OTEL_EXPORTER_OTLP_PROTOCOL"]).toBe("http/protobuf")
  })

  test("does not add a second run", () => {
    const given = { OTEL_RESOURCE_ATTRIBUTES: "pagespan.run=outer", SENTRY_SPOTLIGHT: "0" }
    const set = reportingEnvironment(given, "http://localhost:4318", "inner")
    expect(set["OTEL_RESOURCE_ATTRIBUTES"]).toBe("pagespan.run=outer")
    expect(set).not.toHaveProperty("SENTRY_SPOTLIGHT")
  })
})

describe("a count", () => {
  test.each([
    [">=2", 2, Infinity],
    [">2", 3, Infinity],
    ["<=2", 0, 2],
    ["<2", 0, 1],
    ["2", 2, 2],
    ["==2", 2, 2],
    ["2..4", 2, 4],
  ])("%s accepts %i to %d", (text, least, most) => {
    expect(parseComparison(text)).toMatchObject({ least, most })
  })
})

test.each(FORGED)(
  "a record is one line of a terminal, without control characters, whatever it holds: %s",
  async (_what, text) => {
    const queries = queriesOf(text)
    const lines = [
      ...(await queries.trace("")).spans.map(spanLine),
      ...(await queries.errors({})).map(errorLine),
      ...(await queries.drops(1)).map(dropLine),
      ...(await queries.logs(undefined, {})).map(logLine),
      ...(await queries.traces("", undefined)).map(traceLine),
    ]
    expect(lines.filter((line) => /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(line))).toEqual([])
  },
)

test("removes control sequences from ingested text", () => {
  expect(plain("a\u001b]0;owned\u0007b\u009b2Jc\u202ed")).toBe("a ]0;owned b 2Jc d")
})

test.each([
  ["LF", "\n"],
  ["CRLF", "\r\n"],
  ["CR", "\r"],
])("tail reads events that end their lines with %s, in chunks of any size", async (_, end) => {
  const lines = [": comment", "event: traces", "data: [1,", "data: 2]", "", "data:unnamed", "", "", ""]
  const bytes = new TextEncoder().encode(lines.join(end))
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
      controller.close()
    },
  })
  const events = []
  for await (const { event, data } of eventsOf(body)) events.push({ event, data })
  expect(events).toEqual([
    { event: "traces", data: "[1,\n2]" },
    { event: undefined, data: "unnamed" },
  ])
})
