import { beforeAll, describe, expect, test } from "vitest"
import type { TraceScope } from "#otel/inspector/queries/list/trace-reader.ts"
import { parseFilter } from "#otel/inspector/search/index.ts"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { ago, plus, service, span, spanId } from "../spans.ts"
import { storeOfFile } from "../stores.ts"

/** The overview reads other tables where all spans arrived by one protocol: it says the same as where both have sent some. */

const store = storeOfFile()
const MINUTE = 60_000_000_000n
const begin = ago(3_600_000)
const at = (minute: number) => plus(begin, BigInt(minute) * MINUTE)

/** Ten traces, a minute apart. One in two has a span of a second service, later than the next trace; one in three failed there. */
const traces = Array.from({ length: 10 }, (_, minute) => {
  const root = span(minute + 1, minute + 1, { startTime: at(minute), resource: service(minute === 4 ? "own" : "web") })
  if (minute % 2 === 1) return [root]
  const child = span(minute + 1, 100 + minute, {
    parentSpanId: spanId(minute + 1),
    startTime: plus(at(minute), MINUTE * 2n),
    resource: service(minute === 4 ? "own" : "db"),
    status: { code: minute % 3 === 0 ? "error" : "unset", message: "" },
  })
  return [root, child]
})
const name = ({ resource }: SpanRecord) => String(resource.attributes.get("service.name"))

interface Case {
  readonly what: string
  readonly scope: TraceScope
  readonly has: (spans: readonly SpanRecord[]) => boolean
}

const startOf = (spans: readonly SpanRecord[]) => spans[0]!.startTime
const isOther = (spans: readonly SpanRecord[]) => spans.some((one) => name(one) !== "own")
const CASES: readonly Case[] = [
  { what: "everything", scope: {}, has: () => true },
  { what: "since", scope: { since: at(3) }, has: (spans) => startOf(spans) >= at(3) },
  { what: "until", scope: { until: at(5) }, has: (spans) => startOf(spans) < at(5) },
  {
    what: "a range",
    scope: { since: at(1), until: at(7) },
    has: (spans) => startOf(spans) >= at(1) && startOf(spans) < at(7),
  },
  {
    what: "a service that joins later",
    scope: { filter: parseFilter("service:db").tree, until: at(3) },
    has: (spans) => startOf(spans) < at(3) && spans.some((one) => name(one) === "db"),
  },
  { what: "without a service", scope: { filter: parseFilter("{-service:own}").tree }, has: isOther },
  {
    what: "without a service, in a range",
    scope: { filter: parseFilter("{-service:own}").tree, since: at(2), until: at(8) },
    has: (spans) => isOther(spans) && startOf(spans) >= at(2) && startOf(spans) < at(8),
  },
]

beforeAll(async () => {
  // In two inserts: the later spans of a trace are in a row of their own.
  await store().insertSpans(
    traces.map(([root]) => root!),
    "roots",
  )
  await store().insertSpans(
    traces.flatMap(([, child]) => child ?? []),
    "children",
  )
})

async function expectFigures({ scope, has }: Case, older: number): Promise<void> {
  const matching = traces.filter(has)
  const { moments, services, ...counts } = await store().overviewTraces(scope, Number(at(60) / 1_000_000n))
  const failed = matching.filter((spans) => spans.some(({ status }) => status.code === "error")).length
  expect(counts).toEqual({ traces: matching.length + older, failed, otlp: matching.length, sentry: older, both: 0 })
  expect(moments.reduce((sum, moment) => sum + moment.traces, 0)).toBe(matching.length + older)
  const names = new Map<string, number>()
  for (const spans of matching) for (const one of new Set(spans.map(name))) names.set(one, (names.get(one) ?? 0) + 1)
  expect(
    Object.fromEntries(services.filter(({ value }) => value !== "older").map((one) => [one.value, one.traces])),
  ).toEqual(Object.fromEntries(names))
  const kinds = await store().readSpanFacets(scope)
  expect(kinds.kind).toEqual(matching.length + older > 0 ? [{ value: "server", traces: matching.length + older }] : [])
  expect(await store().readMissing(scope)).toEqual([
    { value: "root", traces: 0 },
    { value: "parent", traces: 0 },
  ])
}

describe.sequential("the overview", () => {
  test.for(CASES)("of spans of one protocol: $what", (one) => expectFigures(one, 0))

  test("is the same once the other protocol has sent a trace, and counts that", async () => {
    const older = span(50, 50, { startTime: at(-30), resource: service("older"), source: "sentry" })
    await store().insertSpans([older], "older")
    for (const one of CASES) {
      const { since, until, filter } = one.scope
      const isService = filter !== undefined && one.what.includes("joins")
      await expectFigures(
        one,
        since === undefined && !isService && (until === undefined || until > older.startTime) ? 1 : 0,
      )
    }
  })
})
