import { describe, expect, it } from "vitest"
import { LIST_PAGE_SIZE } from "#otel/inspector/queries/list/parameter-reader.ts"
import { toCursor } from "#otel/inspector/queries/list/list-cursor.ts"
import { parseTraceListQuery } from "#otel/inspector/queries/list/trace-list-query.ts"

const NOW = Date.parse("2026-01-31T12:00:00Z")
const parse = (text: string) => parseTraceListQuery(new URLSearchParams(text), NOW)

describe("the query of the trace list", () => {
  it("without parameters queries the first page of all traces", () => {
    expect(parse("")).toEqual({
      query: {
        limit: LIST_PAGE_SIZE,
        after: undefined,
        service: undefined,
        order: undefined,
        since: undefined,
        until: undefined,
        filter: undefined,
      },
      filter: "",
      since: undefined,
      until: undefined,
      problem: undefined,
      notices: [],
    })
  })

  it("reads service, cursor and size", () => {
    const after = toCursor("traces-time", { value: 1n, id: "a".repeat(32) })
    const { query, refusal } = parse(`service=check+out&after=${after}&limit=25`)
    expect(query).toMatchObject({ service: "check out", after, limit: 25 })
    expect(refusal).toBeUndefined()
  })

  it.each([
    ["90s", "2026-01-31T11:58:30Z"],
    ["15m", "2026-01-31T11:45:00Z"],
    ["24h", "2026-01-30T12:00:00Z"],
    ["7d", "2026-01-24T12:00:00Z"],
    ["2026-01-31T13:00:00%2B02:00", "2026-01-31T11:00:00Z"],
  ])("reads since=%s as %s", (text, moment) => {
    const { query, notices } = parse(`since=${text}`)
    expect(query.since).toBe(BigInt(Date.parse(moment)) * 1_000_000n)
    expect(notices).toEqual([])
  })

  it("treats an age that reaches before the epoch as no limit", () => {
    expect(parse("since=99999d").query.since).toBe(0n)
  })

  it.each([
    "since=yesterday",
    "since=15",
    "since=-1h",
    "since=2026-01-31",
    "since=2026-13-45T99:99:99Z",
    "since=1e3h",
    "until=tomorrow",
    "sort=name",
    "sort=duration-desc",
    "limit=0",
    "limit=-5",
    "limit=1001",
    "limit=1e2",
    "limit=NaN",
    "after=%00",
    "after=<script>",
    `after=${"a".repeat(513)}`,
    "service=%00",
    `service=${"s".repeat(100_000)}`,
  ])("ignores %s, with one short notice", (text) => {
    const { query, notices } = parse(text)
    expect(query).toEqual(parse("").query)
    expect(notices).toHaveLength(1)
    expect(notices[0]?.startsWith(`${text.split("=")[0]} is "`)).toBe(true)
    expect(notices[0]?.length).toBeLessThan(200)
  })

  it("reads a window and an order", () => {
    const { query, until } = parse("since=2026-01-31T10:00:00Z&until=2026-01-31T11:00:00.5Z&sort=errors-asc")
    expect(query.until).toBe(BigInt(Date.parse("2026-01-31T11:00:00.500Z")) * 1_000_000n)
    expect(query.order).toEqual({ by: "errors", isAscending: true })
    expect(until).toBe("2026-01-31T11:00:00.5Z")
    expect(parse("sort=duration").query.order).toEqual({ by: "duration", isAscending: false })
  })

  it("reads ages on both sides of a window", () => {
    const { query, since, until } = parse("since=24h&until=20h")
    expect(query.until! - query.since!).toBe(4n * 3_600_000_000_000n)
    expect([since, until]).toEqual(["24h", "20h"])
  })

  it("reads a filter, and reports an invalid one instead of ignoring it", () => {
    expect(parse("q=status:error").query.filter).toEqual({ is: "failed" })
    const { problem, filter, notices } = parse("q=duration%3Efast")
    expect(problem).toMatchObject({ start: 9, end: 13 })
    expect([filter, notices]).toEqual(["duration>fast", []])
  })

  it("has a notice for each invalid value, and applies the valid ones", () => {
    const { query, notices } = parse("limit=x&since=y&service=web")
    expect(notices).toHaveLength(2)
    expect(query.service).toBe("web")
  })

  it("ignores empty values", () => {
    expect(parse("service=&since=&after=&limit=").notices).toEqual([])
  })
})
