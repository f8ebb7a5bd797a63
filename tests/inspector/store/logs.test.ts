import { beforeAll, describe, expect, test } from "vitest"
import type { LogListQuery } from "#otel/inspector/queries/logs/log-reader.ts"
import { parseLogFilter } from "#otel/inspector/search/index.ts"
import type { AttributeValue } from "#otel/protocol/records/attributes.ts"
import type { LogRecord } from "#otel/protocol/records/log.ts"
import { log } from "./events.ts"
import { ago, plus, service, spanId, traceId } from "./spans.ts"
import { DAY_MS, storeOfFile } from "./stores.ts"

const store = storeOfFile()
const start = ago(60_000)
const MS = 1_000_000n
const attributes = (bag: Record<string, AttributeValue>) => new Map(Object.entries(bag))

/** Records with a letter each, by which the tables below name them. */
const LOGS: Readonly<Record<string, LogRecord>> = {
  a: log(1, { body: "Cart LOADED in 5 ms", attributes: attributes({ "http.response.status_code": 503n }) }),
  b: log(2, { body: "upstream timed out", severityNumber: 13, severityText: "", resource: service("api") }),
  c: log(3, { severityNumber: 0, severityText: "Warning", traceId: undefined, spanId: undefined, body: "100%_sure" }),
  d: log(4, {
    severityNumber: 17,
    body: new Map([["msg", "x 'quoted' \\"]]),
    source: "sentry",
    traceId: traceId(0x302),
  }),
  e: log(5, {
    severityNumber: 0,
    severityText: "",
    spanId: spanId(0x301),
    eventName: "order.paid",
    attributes: attributes({ "user.id": "u7" }),
    resource: {
      attributes: attributes({ "service.name": "shop", "deployment.environment": "staging" }),
      schemaUrl: "",
    },
  }),
}
const placed = Object.values(LOGS).map((record, index) => ({ ...record, time: plus(start, BigInt(index) * MS) }))
const letterOf = new Map(Object.entries(LOGS).map(([letter, { logId }]) => [logId, letter]))

beforeAll(async () => {
  await store().insertLogs(placed, "logs")
  await store().insertLogs(placed.slice(0, 2), "the same again")
})

async function letters(query: Partial<LogListQuery> = {}): Promise<string> {
  const { logs } = await store().listLogs({ limit: 100, ...query })
  return logs.map(({ logId }) => letterOf.get(logId) ?? "?").join("")
}

describe("the list of logs", () => {
  test.each([
    ["", "edcba"],
    ["timed", "b"],
    ["loaded", "a"],
    ['body:"cart loaded"', "a"],
    ['body="Cart LOADED in 5 ms"', "a"],
    ["body=cart*", ""],
    ["body=Cart*ms", "a"],
    ["100%_", "c"],
    ["severity>=warn", "dcb"],
    ["severity:warn", "cb"],
    ["severity<error", "cba"],
    ["-severity>=trace", "e"],
    ["service:api", "b"],
    ["service!=api severity:warn", "c"],
    ["service:(api shop)", "edcba"],
    ["http.status_code:5xx", "a"],
    ["http.response.status_code>=500", "a"],
    ["has:user.id", "e"],
    ["user.id:u*", "e"],
    ["env:staging", "e"],
    ["resource.deployment.environment:staging", "e"],
    ["resource.user.id:u7", ""],
    ["u7", "e"],
    ["event.name:order.paid", "e"],
    ["source:sentry", "d"],
    ["'quoted'", "d"],
    [`trace:${traceId(0x302)}`, "d"],
    [`trace:${traceId(0x302).toUpperCase()}`, "d"],
    [traceId(0x302), "d"],
    ['trace:""', "c"],
    [`span:${spanId(0x301)}`, "e"],
    ["service:api OR severity:error", "db"],
    ["-(service:api OR severity:error)", "eca"],
  ])("with the filter %s has %s", async (text, expected) => {
    const { tree, problem } = parseLogFilter(text)
    expect(problem).toBeUndefined()
    expect(await letters({ filter: tree })).toBe(expected)
  })

  test("of a trace is in order of time, and of a window of time includes its start and not its end", async () => {
    expect(await letters({ traceId: traceId(0x300), isOldestFirst: true })).toBe("abe")
    expect(await letters({ since: plus(start, MS), until: plus(start, 3n * MS) })).toBe("cb")
  })

  test.each([true, false])(
    "comes in pages that stay stable while logs arrive (oldest first: %s)",
    async (isOldestFirst) => {
      const first = isOldestFirst ? 0x500 : 0x600
      const time = ago(5_000)
      const many = Array.from({ length: 25 }, (_, index) =>
        log(first + index, { time: plus(time, BigInt(Math.floor(index / 4))), traceId: traceId(first) }),
      )
      await store().insertLogs(many, `pages ${isOldestFirst}`)
      await store().insertLogs(many.slice(3, 21), `again, so that pages have duplicates ${isOldestFirst}`)
      const found: string[] = []
      let after: string | undefined
      do {
        const page = await store().listLogs({ traceId: traceId(first), limit: 10, after, isOldestFirst })
        found.push(...page.logs.map(({ logId }) => logId))
        after = page.next
        await store().insertLogs(
          [log(first + 0x80 + found.length, { time: ago(isOldestFirst ? 9_000 : 0), traceId: traceId(first) })],
          String(after),
        )
      } while (after !== undefined)
      const ids = many.map(({ logId }) => logId)
      expect(found).toStrictEqual(isOldestFirst ? ids : ids.toReversed())
    },
  )

  test("starts at the beginning for an invalid cursor", async () => {
    expect((await store().listLogs({ limit: 1, after: "garbage'; --" })).logs).toHaveLength(1)
  })

  test("has no log older than the retention", async () => {
    await store().insertLogs([log(0x700, { time: ago(8 * DAY_MS), body: "expired" })], "old")
    expect(await letters({ filter: parseLogFilter("expired").tree })).toBe("")
  })
})

test("the overview counts each log once, by time and severity, and adds up to the list", async () => {
  const scope = { since: start, until: plus(start, 5n * MS) }
  const { logs, moments } = await store().overviewLogs(scope, Date.now())
  expect(logs).toBe(5)
  const sum = (of: "logs" | "warnings" | "errors") => moments.reduce((total, moment) => total + moment[of], 0)
  expect([sum("logs"), sum("warnings"), sum("errors")]).toStrictEqual([5, 2, 1])
  const filtered = await store().overviewLogs({ ...scope, filter: parseLogFilter("severity:error").tree }, Date.now())
  expect(filtered.logs).toBe(1)
})

test("the facets count each log once, by severity and service, whether the severity is a number or a text", async () => {
  const scope = { since: start, until: plus(start, 5n * MS) }
  const { severities, services } = await store().countLogFacets(scope)
  const counted = severities.filter(({ count }) => count > 0)
  expect(counted).toStrictEqual([
    { value: "error", count: 1 },
    { value: "warn", count: 2 },
    { value: "info", count: 1 },
  ])
  expect(services.reduce((sum, { count }) => sum + count, 0)).toBe(5)
  for (const { value, count } of counted)
    expect(await letters({ ...scope, filter: parseLogFilter(`severity:${value}`).tree })).toHaveLength(count)
  for (const { value, count } of services)
    expect(await letters({ ...scope, filter: parseLogFilter(`service:${value}`).tree })).toHaveLength(count)
})

test("suggestions come from the attributes, services and values of logs", async () => {
  const names = (await store().knownLogAttributes()).map(({ value }) => value)
  expect(names).toEqual(expect.arrayContaining(["user.id", "service.name", "http.response.status_code"]))
  expect((await store().knownLogValues("service", "")).map(({ value }) => value)).toEqual(["shop", "api"])
  expect(await store().knownLogValues("user.id", "U")).toEqual([{ value: "u7", spans: 1 }])
  expect(await store().knownLogValues("env", "")).toEqual([{ value: "staging", spans: 1 }])
})
