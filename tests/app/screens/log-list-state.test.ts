import { expect, test } from "vitest"
import { LOG_ROW_LIMIT, logListOf, shown, withNewerLogs, withNewest, withOlderLogs } from "#app/logs/log-list-state.ts"
import { type LogJson, logToJson } from "#otel/inspector/queries/logs/log-json.ts"
import { logSummary, logText } from "#otel/inspector/queries/logs/log-text.ts"
import type { AttributeValue } from "#otel/protocol/records/attributes.ts"
import { log as logRecord } from "#tests/inspector/store/events.ts"

/** A log whose time is its number; of two with one time, the id decides. */
function log(number: number, time = number): LogJson {
  return {
    logId: number.toString(16).padStart(32, "0"),
    timeUnixNano: String(time),
    severityNumber: 9,
    severityText: "",
    eventName: "",
    body: "",
    traceId: null,
    spanId: null,
    service: "",
    attributes: {},
    source: "otlp",
  }
}

const numbers = (rows: readonly LogJson[]) => rows.map(({ logId }) => Number.parseInt(logId, 16))
const page = (...of: readonly number[]) => of.map((number) => log(number))

test("new logs enter the list in the order of the store, also those that arrive late", () => {
  const list = withNewest(
    logListOf(page(9, 5), false),
    [...page(9), log(20, 7), log(21, 7), ...page(5)].toReversed(),
    false,
    false,
  )
  expect(numbers(list.rows)).toEqual([9, 21, 20, 5])
  expect(list.waiting).toEqual([])
})

test("new logs wait while the user reads, once each, until they are shown", () => {
  const before = logListOf(page(2, 1), true)
  const once = withNewest(before, page(3, 2, 1), false, true)
  const twice = withNewest(once, page(4, 3, 2, 1), false, true)
  expect(numbers(twice.rows)).toEqual([2, 1])
  expect(numbers(twice.waiting)).toEqual([4, 3])
  expect(withNewest(twice, page(4, 3, 2, 1), false, true)).toBe(twice)
  expect(numbers(shown(twice).rows)).toEqual([4, 3, 2, 1])
})

test("a full page without a row in common replaces the list, because older logs are missing between them", () => {
  const before = logListOf(page(2, 1), true)
  expect(numbers(withNewest(before, page(9, 8), true, false).rows)).toEqual([9, 8])
  expect(numbers(withNewest(before, page(9, 8), false, false).rows)).toEqual([9, 8, 2, 1])
  const waiting = withNewest(before, page(9, 8), true, true)
  expect([numbers(waiting.rows), waiting.hasGap]).toEqual([[2, 1], true])
  expect(numbers(shown(withNewest(waiting, page(10, 9, 8), true, true)).rows)).toEqual([10, 9, 8])
})

test("logs behind the last row are not new while they are still to be loaded", () => {
  const before = logListOf(page(9, 8), true)
  const list = withNewest(before, page(10, 9, 8, 7, 6), true, true)
  expect(numbers(list.waiting)).toEqual([10])
  expect(withNewest(before, page(9, 8, 7, 6), true, true)).toBe(before)
  expect(numbers(shown(withNewest(logListOf(page(9, 8), false), page(9, 8, 7), false, true)).rows)).toEqual([9, 8, 7])
})

test("an older page is appended, and a full list loses its oldest rows to new ones", () => {
  const two = logListOf(page(9, 8), true)
  const list = withOlderLogs(two, { logs: page(8, 7), nextTo: two.rows[1], hasMore: false })
  expect([numbers(list.rows), list.hasOlder]).toEqual([[9, 8, 7], false])
  const many = Array.from({ length: LOG_ROW_LIMIT + 10 }, (_, index) => log(index + 100))
  const full = withNewest(list, many, false, false)
  expect([full.rows.length, numbers(full.rows.slice(0, 1))]).toEqual([LOG_ROW_LIMIT, [LOG_ROW_LIMIT + 109]])
  expect([full.hasOlder, full.hasNewer]).toEqual([true, false])
})

test("a list of any length is scrolled through a bounded number of rows without a gap, and back", () => {
  const all = Array.from({ length: 3 * LOG_ROW_LIMIT }, (_, index) => log(index + 1)).toReversed()
  const size = 200
  let list = withNewest(logListOf(all.slice(0, size), true), [log(all.length + 1), ...all.slice(0, size)], true, true)
  expect(list.waiting).toHaveLength(1)
  const placeOf = (row: LogJson | undefined) => all.findIndex(({ logId }) => logId === row?.logId)
  while (list.hasOlder) {
    const from = placeOf(list.rows.at(-1)) + 1
    const older = { logs: all.slice(from, from + size), nextTo: list.rows.at(-1), hasMore: from + size < all.length }
    list = withOlderLogs(list, older)
    // What was read for a list that is another one now would leave a gap.
    expect(withOlderLogs(list, older)).toBe(list)
    expect(list.rows.length).toBeLessThanOrEqual(LOG_ROW_LIMIT)
  }
  expect(list.rows).toEqual(all.slice(-LOG_ROW_LIMIT))
  // What waited is among the newer logs now, and the live feed adds nothing behind a gap.
  expect([list.hasNewer, list.isSteady, list.waiting]).toEqual([true, true, []])
  expect(withNewest(list, all.slice(0, size), true, true)).toBe(list)
  while (list.hasNewer) {
    const to = placeOf(list.rows[0])
    const newer = all.slice(Math.max(0, to - size), to).toReversed()
    const request = { logs: newer, nextTo: list.rows[0], hasMore: to > size }
    list = withNewerLogs(list, request)
    expect(withNewerLogs(list, request)).toBe(list)
    expect(list.rows.length).toBeLessThanOrEqual(LOG_ROW_LIMIT)
  }
  expect(list.rows).toEqual(all.slice(0, LOG_ROW_LIMIT))
  // Rows that were loaded in front stay steady when the user is at the top, and so reads no longer.
  expect(shown(list)).toBe(list)
  expect([
    list.hasOlder,
    numbers(withNewest(list, [log(99_999), ...all.slice(0, 9)], true, false).rows.slice(0, 2)),
  ]).toEqual([true, [99_999, all.length]])
})

test.each([
  ["colours", "\u001b[1;31mred\u001b[0m", "red"],
  ["a sequence that a cut interrupts", "red\u001b[3", "red"],
  ["a window title", "\u001b]0;title\u0007text\u001b]8;;http://a\u001b\\link", "textlink"],
  ["cursor movements and single escapes", "a\u001b[2Kb\u001bMc\u009b31md", "abcd"],
  ["structured bodies", { msg: "\u001b[31mred\u001b[0m", list: ["\u001b[1mx"] }, '{"msg":"red","list":["x"]}'],
  ["brackets that are no sequence", "[31m array[0]", "[31m array[0]"],
  ["nothing", null, ""],
])("the text of a body has no control sequences of a terminal: %s", (_what, body, text) => {
  expect(logText({ body })).toBe(text)
})

test("integers of a structured body are numbers with all their digits, and texts are texts", () => {
  const body = new Map<string, AttributeValue>([
    ["amount", 12n],
    ["text", "12"],
    ["list", [9_007_199_254_740_993n, 1.5, null]],
  ])
  const json = logToJson(logRecord(1, { body }))
  expect(json.body).toEqual({ amount: "12", text: "12", list: ["9007199254740993", 1.5, null] })
  expect(logText(json)).toBe('{"amount":12,"text":"12","list":[9007199254740993,1.5,null]}')
  expect(logToJson(logRecord(1, { body: "12" }))).not.toHaveProperty("bodyText")
})

test.each<[string, Partial<LogJson>, string]>([
  ["its text", { body: "card declined", eventName: "exception" }, "card declined"],
  [
    "the name of its event and the data",
    { body: { name: "INP", value: 8 }, attributes: { "event.name": "browser.web_vital", "session.id": "1" } },
    'browser.web_vital {"name":"INP","value":8}',
  ],
  ["its data", { body: [1, true] }, "[1,true]"],
  [
    "the exception that it records, without a body",
    {
      attributes: {
        "exception.message": "\u001b[31mrejected",
        "exception.type": "RangeError",
        "exception.stacktrace": "at",
      },
    },
    "RangeError: rejected",
  ],
  ["the message of an exception without a type", { attributes: { "exception.message": "rejected" } }, "rejected"],
  [
    "the event and its attributes, without a body",
    { eventName: "browser.resource_timing", body: null, attributes: { "url.path": "/a", duration: 7, sizes: [1, 2] } },
    "browser.resource_timing url.path=/a duration=7 sizes=[1,2]",
  ],
  [
    "its attributes, without a name",
    { attributes: { "measurement.type": "web-vitals" } },
    "measurement.type=web-vitals",
  ],
  ["nothing", {}, ""],
])("the line of a log shows %s", (_what, given, line) => {
  expect(logSummary({ ...log(1), ...given })).toBe(line)
})
