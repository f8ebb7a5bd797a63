import { describe, expect, test } from "vitest"
import type { Issue } from "#otel/inspector/queries/errors/issue.ts"
import type { TraceOrder } from "#otel/inspector/queries/list/trace-reader.ts"
import { parseFilter } from "#otel/inspector/search/index.ts"
import type { ErrorEvent } from "#otel/protocol/records/error.ts"
import type { LogRecord } from "#otel/protocol/records/log.ts"
import { hex, log as logRecord } from "./events.ts"
import { ago, plus, service, span, spanId, traceId } from "./spans.ts"
import { DAY_MS, storeOfFile } from "./stores.ts"

const store = storeOfFile()

function error(issue: number, event: number, over: Partial<ErrorEvent> = {}): ErrorEvent {
  return {
    eventId: hex(event),
    issueId: hex(issue),
    time: ago(1_000),
    traceId: traceId(event),
    spanId: spanId(event),
    level: "error",
    type: "TypeError",
    value: "boom",
    exceptions: [
      {
        type: "TypeError",
        value: "boom",
        mechanism: { type: "generic", handled: undefined },
        stackText: "",
        frames: [
          {
            function: "pay",
            module: "",
            file: "/app/pay.ts",
            line: 7,
            column: undefined,
            inApp: true,
            before: ["a"],
            context: "throw",
            after: [],
          },
        ],
      },
      { type: "Error", value: "inner", mechanism: undefined, frames: [], stackText: "text" },
    ],
    transaction: "/cart",
    service: "shop",
    environment: "dev",
    release: "1.2",
    tags: new Map<string, string | bigint>([
      ["__proto__", "x"],
      ["n", 2n ** 63n - 1n],
    ]),
    breadcrumbs: '[{"message":"x"}]',
    request: '{"url":"/"}',
    context: '{"user":{"id":1}}',
    fingerprint: ["TypeError", "/app/pay.ts pay"],
    source: "sentry",
    ...over,
  }
}

describe("errors", () => {
  test("are read back unchanged, whatever they contain", async () => {
    const event = error(1, 11, { value: "naïve 日本語 \\ ' \u0000", traceId: undefined, spanId: undefined })
    await store().insertErrors([event], "unchanged")
    expect((await store().readIssue(hex(1)))?.events).toStrictEqual([event])
  })

  test("with one fingerprint are one issue, with their count, the latest text and the latest trace", async () => {
    const first = ago(5_000)
    const events = [
      error(2, 21, { time: first, value: "old" }),
      error(2, 22, { time: plus(first, 5n), value: "newer", service: "shop-browser", source: "otlp" }),
      error(2, 23, { time: plus(first, 9n), value: "newest", traceId: undefined, level: "fatal" }),
    ]
    await store().insertErrors(events, "grouped")
    const issue = await store().readIssue(hex(2))
    expect(issue).toMatchObject({
      issueId: hex(2),
      title: "TypeError: newest",
      count: 3,
      firstSeen: first,
      lastSeen: plus(first, 9n),
      lastTraceId: traceId(22),
      level: "fatal",
      services: ["shop", "shop-browser"],
      sources: ["otlp", "sentry"],
    })
    expect(issue?.events.map(({ value }) => value)).toStrictEqual(["newest", "newer", "old"])
    expect(await store().findEvent(events[1]!.eventId)).toStrictEqual(events[1])
  })

  test("are stored once by event id, in one batch or in several", async () => {
    const event = error(3, 31)
    await store().insertErrors([event, event], "twice")
    await store().insertErrors([event, error(3, 32)], "again")
    const issue = await store().readIssue(hex(3))
    expect(issue?.count).toBe(2)
    expect(issue?.events).toHaveLength(2)
  })

  test("are counted by trace in a list of traces, each event once, also where no span failed", async () => {
    const [reported, without] = [0x5_001, 0x5_002]
    const root = { resource: service("counted") }
    await store().insertSpans([span(reported, 1, root), span(without, 2, root)], "counted spans")
    const of = { traceId: traceId(reported) }
    const events = [error(5, 51, of), error(5, 52, { ...of, time: ago(5_000) })]
    await store().insertErrors([...events, error(5, 53, { traceId: undefined })], "counted errors")
    await store().insertErrors(events, "counted errors again")
    const { traces } = await store().listTraces({ limit: 10, service: "counted" })
    const counts = traces.map((trace) => [trace.traceId, trace.errorCount, trace.reportedErrorCount])
    expect(new Set(counts)).toEqual(
      new Set([
        [traceId(reported), 0, 2],
        [traceId(without), 0, undefined],
      ]),
    )
  })

  test("of a trace without a failed span are what the list shows, filters and orders by", async () => {
    const resource = service("ordered")
    const status = { code: "error", message: "" } as const
    const [none, failed, two, three] = [0x6_001, 0x6_002, 0x6_003, 0x6_004]
    const spans = [span(none, 1, { resource }), span(failed, 2, { resource, status }), span(two, 3, { resource })]
    await store().insertSpans([...spans, span(three, 4, { resource })], "ordered spans")
    const reported = (trace: number, ids: readonly number[]) =>
      ids.map((id) => error(6, id, { traceId: traceId(trace) }))
    const events = [...reported(failed, [61, 62, 63, 64]), ...reported(two, [65, 66]), ...reported(three, [67, 68, 69])]
    await store().insertErrors(events, "ordered errors")
    await store().insertErrors(events, "ordered errors again")
    const found = async (filter: string, order?: TraceOrder) => {
      const ids: string[] = []
      let after: string | undefined
      do {
        const { tree } = parseFilter(`service:ordered ${filter}`)
        const page = await store().listTraces({ limit: 1, filter: tree, order, after })
        ids.push(...page.traces.map((trace) => trace.traceId))
        after = page.next
      } while (after !== undefined)
      return ids.map((id) => [none, failed, two, three].findIndex((trace) => traceId(trace) === id))
    }
    expect(await found("", { by: "errors", isAscending: false })).toEqual([3, 2, 1, 0])
    expect(await found("", { by: "errors", isAscending: true })).toEqual([0, 1, 2, 3])
    expect((await found("errors>0")).toSorted()).toEqual([1, 2, 3])
    expect((await found("errors:1")).toSorted()).toEqual([1])
    expect((await found("errors<=2")).toSorted()).toEqual([0, 1, 2])
    expect((await found("errors:0")).toSorted()).toEqual([0])
    expect((await found("status:error")).toSorted()).toEqual([1])
    expect((await found("status:ok")).toSorted()).toEqual([0, 2, 3])
  })

  test("are found by id within their issue, however many are newer", async () => {
    const events = Array.from({ length: 120 }, (_, index) => error(4, 0x1_000 + index, { time: ago(200_000 - index) }))
    await store().insertErrors(events, "many")
    const oldest = events[0]!
    expect((await store().readIssue(hex(4)))?.events.map(({ eventId }) => eventId)).not.toContain(oldest.eventId)
    expect(await store().findEvent(oldest.eventId, hex(4))).toStrictEqual(oldest)
    expect(await store().findEvent(oldest.eventId, hex(5))).toBeUndefined()
  })

  test("of an unknown issue are none, and an issue id is never SQL", async () => {
    expect(await store().readIssue(hex(999))).toBeUndefined()
    expect(await store().findEvent(hex(999))).toBeUndefined()
    expect(await store().readIssue("' OR 1=1 --")).toBeUndefined()
  })
})

describe("the list of issues", () => {
  const ofList = { service: "listed" }

  test("has pages without gaps or repetitions, last seen first, ties by id", async () => {
    const base = ago(60_000)
    const events = Array.from({ length: 30 }, (_, index) =>
      error(0x100 + index, 0x100 + index, { ...ofList, time: plus(base, BigInt(Math.floor(index / 3))) }),
    )
    await store().insertErrors(events, "listed")
    for (const limit of [1, 7, 30, 1_000]) {
      const issues: Issue[] = []
      let after: string | undefined
      do {
        const page = await store().listIssues({ limit, after, ...ofList })
        issues.push(...page.issues)
        after = page.next
      } while (after !== undefined)
      expect(issues.map(({ issueId }) => issueId)).toStrictEqual(events.map(({ issueId }) => issueId).toReversed())
    }
  })

  test("since omits issues that were not seen again, and counts all events of the others", async () => {
    const resource = { service: "since" }
    await store().insertErrors(
      [
        error(0x201, 0x201, { ...resource, time: ago(90_000) }),
        error(0x202, 0x202, { ...resource, time: ago(90_000) }),
        error(0x202, 0x203, { ...resource, time: ago(1_000) }),
      ],
      "since",
    )
    const { issues } = await store().listIssues({ limit: 10, since: ago(30_000), ...resource })
    expect(issues.map(({ issueId, count }) => [issueId, count])).toStrictEqual([[hex(0x202), 2]])
  })

  test("until omits issues without an event before it, and with since those without one between them", async () => {
    const resource = { service: "until" }
    const at = ago(60_000)
    await store().insertErrors(
      [
        error(0x211, 0x211, { ...resource, time: ago(90_000) }),
        error(0x211, 0x212, { ...resource, time: ago(1_000) }),
        error(0x213, 0x213, { ...resource, time: at }),
        error(0x214, 0x214, { ...resource, time: ago(1_000) }),
      ],
      "until",
    )
    const listed = async (range: { since?: typeof at; until?: typeof at }) =>
      (await store().listIssues({ limit: 10, ...range, ...resource })).issues.map(({ issueId }) => issueId).toSorted()
    expect(await listed({ until: at })).toStrictEqual([hex(0x211)])
    expect(await listed({ until: plus(at, 1n) })).toStrictEqual([hex(0x211), hex(0x213)])
    expect(await listed({ since: at, until: ago(30_000) })).toStrictEqual([hex(0x213)])
    expect(await listed({})).toStrictEqual([hex(0x211), hex(0x213), hex(0x214)])
  })

  test("starts at the beginning for an invalid cursor", async () => {
    expect((await store().listIssues({ limit: 1, after: "garbage'; --", ...ofList })).issues).toHaveLength(1)
  })
})

test("logs of a trace are read back unchanged, in order of time, each once", async () => {
  const time = ago(1_000)
  const log = (number: number, over: Partial<LogRecord> = {}) => logRecord(number, { time, ...over })
  const structured = log(2, {
    time: plus(time, 5n),
    body: new Map<string, never>([["big", (2n ** 63n - 1n) as never]]),
  })
  await store().insertLogs([structured, log(1)], "logs")
  await store().insertLogs([log(1), log(3, { traceId: traceId(0x301) })], "logs again")
  const ofTrace = async (number: number) =>
    (await store().listLogs({ traceId: traceId(number), isOldestFirst: true, limit: 10 })).logs
  expect(await ofTrace(0x300)).toStrictEqual([log(1), structured])
  expect(await ofTrace(0x302)).toStrictEqual([])
})

test("errors and logs older than the retention are counted as expired once, and not stored", async () => {
  const old = error(0x400, 0x400, { time: ago(8 * DAY_MS) })
  for (let times = 0; times < 2; times += 1) await store().insertErrors([old, error(0x400, 0x401)], "old")
  expect(await store().readIssue(hex(0x400))).toMatchObject({ count: 1 })
  const expired = (await store().listDrops(100)).filter(({ reason }) => reason === "expired")
  expect(expired).toMatchObject([{ stage: "store", category: "error", count: 1 }])
})
