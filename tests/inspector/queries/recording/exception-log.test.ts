import { expect, test } from "vitest"
import { exceptionLog } from "#otel/inspector/queries/recording/exception-log.ts"
import { decodeLogs } from "#otel/protocol/otlp/decode-logs.ts"
import { logsToJson } from "#otel/protocol/otlp/logs-json.ts"
import type { ErrorEvent, StackFrame } from "#otel/protocol/records/error.ts"
import { parseSpanId, parseTraceId } from "#otel/protocol/records/ids.ts"
import type { LogRecord } from "#otel/protocol/records/log.ts"
import { nanoseconds } from "#otel/protocol/records/time.ts"

const NOW = nanoseconds(1_790_000_000_000_000_000n)

function decoded(logs: readonly LogRecord[]) {
  const result = decodeLogs(new TextEncoder().encode(JSON.stringify(logsToJson(logs))), "json", {
    latest: nanoseconds(NOW + 1_000_000_000n),
    maxLogs: 100,
    receivedAt: NOW,
  })
  if (!result.ok) throw new Error(result.problem)
  return result
}

const frame = (name: string, line: number, inApp: boolean): StackFrame => ({
  function: name,
  module: "",
  file: "/srv/app/cart.ts",
  line,
  column: 7,
  inApp,
  before: [],
  context: "",
  after: [],
})

const EVENT: ErrorEvent = {
  eventId: "ab".repeat(16),
  issueId: "cd".repeat(16),
  time: NOW,
  traceId: parseTraceId("12".repeat(16)),
  spanId: parseSpanId("34".repeat(8)),
  level: "fatal",
  type: "TypeError",
  value: "no such item",
  exceptions: [
    {
      type: "TypeError",
      value: "no such item",
      mechanism: undefined,
      frames: [frame("handle", 3, true), frame("load", 12, true)],
      stackText: "",
    },
    {
      type: "RangeError",
      value: "row 7",
      mechanism: undefined,
      frames: [frame("read", 40, true)],
      stackText: "",
    },
  ],
  transaction: "/cart",
  service: "shop",
  environment: "ci",
  release: "1.2.3",
  tags: new Map([["team", "web"]]),
  breadcrumbs: "",
  request: "",
  context: "",
  fingerprint: ["one"],
  source: "sentry",
}

test("an error of Sentry is read back from a recording with its trace, level, cause, frames and service", () => {
  const [error] = decoded([exceptionLog(EVENT)]).errors
  expect(error).toMatchObject({
    time: NOW,
    traceId: EVENT.traceId,
    spanId: EVENT.spanId,
    level: "fatal",
    type: "TypeError",
    value: "no such item",
    service: "shop",
    environment: "ci",
    release: "1.2.3",
  })
  expect(error?.tags.get("team")).toBe("web")
  expect(error?.exceptions.map(({ type, value }) => [type, value])).toEqual([
    ["TypeError", "no such item"],
    ["RangeError", "row 7"],
  ])
  expect(error?.exceptions.map(({ frames }) => frames.map((each) => [each.function, each.file, each.line]))).toEqual([
    [
      ["handle", "/srv/app/cart.ts", 3],
      ["load", "/srv/app/cart.ts", 12],
    ],
    [["read", "/srv/app/cart.ts", 40]],
  ])
})

test("a message of Sentry without an exception is read back as an error with its text", () => {
  const message: ErrorEvent = { ...EVENT, type: "", exceptions: [], value: "out of stock", level: "warning" }
  expect(decoded([exceptionLog(message)]).errors).toMatchObject([{ type: "", value: "out of stock", level: "warning" }])
})

test("logs of several resources and scopes are read back with every field and type", () => {
  const log = (over: Partial<LogRecord>): LogRecord => ({ ...exceptionLog(EVENT), ...over })
  const scope = { name: "pino", version: "9", attributes: new Map([["a", true]]) }
  const logs = [
    log({ body: "plain", scope }),
    log({ body: new Map<string, string | bigint>([["id", 7n]]), severityNumber: 0, severityText: "", eventName: "" }),
    log({ body: null, traceId: undefined, spanId: undefined, scope, attributes: new Map([["n", 1.5]]) }),
  ]
  const read = decoded(logs).logs
  const sorted = (records: readonly LogRecord[]) =>
    records.map((record) => ({ ...record, logId: "" })).toSorted((a, b) => (String(a.body) < String(b.body) ? -1 : 1))
  expect(sorted(read)).toEqual(sorted(logs))
})
