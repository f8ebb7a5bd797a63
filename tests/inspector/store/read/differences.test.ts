import { beforeAll, describe, expect, it } from "vitest"
import { parseDifferences } from "#otel/inspector/queries/list/difference-query.ts"
import { type Differences, differencesToJson } from "#otel/inspector/queries/list/differences.ts"
import { parseFilter } from "#otel/inspector/search/index.ts"
import type { AttributeValue } from "#otel/protocol/records/attributes.ts"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { nanoseconds } from "#otel/protocol/records/time.ts"
import { ago, plus, span, spanId, traceId } from "../spans.ts"
import { storeOfFile } from "../stores.ts"

const store = storeOfFile()
const SECOND = 1_000_000_000n
const start = nanoseconds((ago(60_000 * 60) / SECOND) * SECOND)
const FAILED = { code: "error", message: "" } as const

/** Twelve traces, of which the first four failed. One of them came over both protocols, and one twice. */
function visit(number: number): SpanRecord[] {
  const failed = number < 4
  const startTime = plus(start, BigInt(number) * SECOND)
  const method = failed || number < 6 ? "POST" : "GET"
  const attributes = new Map<string, AttributeValue>([
    ["http.route", number < 3 || number === 4 ? "/checkout" : "/cart"],
    [number % 2 === 0 ? "http.request.method" : "http.method", method],
    ["request.id", `r-${number}`],
    ["prompt", "long ".repeat(60)],
  ])
  const resource = {
    attributes: new Map<string, AttributeValue>([
      ["service.name", "shop"],
      ["service.version", number < 8 ? "2.0" : "1.9"],
    ]),
    schemaUrl: "",
  }
  const exception = new Map([["exception.type", "TimeoutError"]])
  const events = number < 2 ? [{ time: startTime, name: "exception", attributes: exception }] : []
  const root = span(number + 1, number * 10 + 1, { startTime, name: "GET", attributes, resource, events })
  const query = {
    startTime: plus(startTime, 1_000n),
    endTime: plus(startTime, failed ? 2n * SECOND : 5_000_000n),
    parentSpanId: spanId(number * 10 + 1),
    name: failed ? "SELECT stock" : "SELECT items",
    kind: "client",
    resource,
  } as const
  return [root, span(number + 1, number * 10 + 2, { ...query, ...(failed && { status: FAILED }) })]
}

beforeAll(async () => {
  const spans = Array.from({ length: 12 }, (_, number) => visit(number)).flat()
  await store().insertSpans([...spans, { ...spans[0]!, source: "sentry" }, spans[2]!], "visits")
})

const now = Date.now()
const asked = (parameters: Record<string, string>) => parseDifferences(new URLSearchParams(parameters), now)
const read = (parameters: Record<string, string>) => store().readDifferences(asked(parameters).query)

/** `name=value selection/baseline`, the largest difference first. */
const lines = ({ attributes }: Differences) =>
  attributes.flatMap(({ name, values }) =>
    values.map(({ value, selection, baseline }) => `${name}=${value} ${selection}/${baseline}`),
  )

describe("what differs between failed traces and the others", () => {
  it("is ranked by the difference of shares, with the counts of traces in both groups", async () => {
    const differences = await read({})
    expect(differences.selection).toEqual({ traces: 4, sampled: 4 })
    expect(differences.baseline).toEqual({ traces: 8, sampled: 8 })
    expect(lines(differences)).toEqual([
      // 4 of 4 against none of 8.
      "span.name=SELECT stock 4/0",
      // 4 of 4 against 2 of 8, under two names of one attribute.
      "http.request.method=POST 4/2",
      // 3 of 4 against 1 of 8.
      "http.route=/checkout 3/1",
      // 2 of 4 against none; 4 of 4 against 4 of 8.
      "exception.type=TimeoutError 2/0",
      "service.version=2.0 4/4",
      // Not source=sentry, which one trace of four has.
    ])
    expect(differences.attributes.map(({ values }) => values[0]?.difference)).toEqual([1, 0.75, 0.625, 0.5, 0.5])
  })

  it("leaves out ids, long values and what the filter itself names, and says which attributes have ids", async () => {
    expect((await read({})).omitted).toEqual(["request.id"])
    expect(lines(await read({ q: "http.method:POST", baseline: "" }))).not.toContain("http.request.method=POST 6/0")
    expect(lines(await read({ q: "release:2.0" })).join()).not.toContain("service.version")
  })

  it("has a term for each value that selects the traces which were counted", async () => {
    const { attributes } = differencesToJson(await read({}), { selection: "", baseline: "" })
    const terms = attributes.flatMap(({ values }) => values)
    expect(terms.map(({ term }) => term)).toContain("route:/checkout")
    for (const { term, selection, baseline } of terms) {
      const { traces } = await store().listTraces({ limit: 100, filter: parseFilter(term).tree })
      expect([term, traces.length]).toEqual([term, selection.traces + baseline.traces])
    }
  })
})

describe("the groups", () => {
  it("are the matching traces and the others of the same filter, without its terms of status and duration", async () => {
    expect(asked({ q: "route:/checkout duration>1s" })).toMatchObject({
      selection: { filter: "route:/checkout duration>1s" },
      baseline: { filter: "route:/checkout" },
    })
    const { selection, baseline } = await read({ q: "route:/checkout duration>1s" })
    expect([selection.traces, baseline.traces]).toEqual([3, 1])
  })

  it("are all others of the window where the filter has no such terms, or they stand in words", async () => {
    for (const q of ["route:/checkout", "route:/checkout AND status:error"])
      expect(asked({ q, since: "2h" })).toMatchObject({
        selection: { filter: q },
        baseline: { filter: "", since: "2h" },
      })
    const { selection, baseline } = await read({ q: "route:/checkout" })
    expect([selection.traces, baseline.traces]).toEqual([4, 8])
  })

  it("are a region and the rest of the baseline that it was selected in", async () => {
    const at = (seconds: bigint) => new Date(Number((start + seconds * SECOND) / 1_000_000n)).toISOString()
    // Starts in the third to the sixth second: two of them failed.
    const region = { q: "duration>=1s", since: at(2n), until: at(6n), baseline: "service:shop", baselineSince: "2h" }
    const { selection, baseline } = await read(region)
    expect([selection.traces, baseline.traces]).toEqual([2, 10])
  })

  it("are the failed and the others where the filter selects all traces of the baseline", () => {
    expect(asked({}).selection.filter).toBe("status:error")
    expect(asked({ q: "service:shop", baseline: "service:shop" }).selection.filter).toBe("service:shop status:error")
    expect(asked({ q: "duration>", baseline: "x" }).problem).toBeDefined()
    expect(asked({ q: "", baseline: "duration>" }).refused).toBe("duration>")
  })

  it("of one trace have the values of that trace", async () => {
    const { selection, attributes } = await read({ q: `trace:${traceId(1)}` })
    expect(selection.traces).toBe(1)
    expect(attributes.map(({ name }) => name)).toContain("source")
  })

  it("that are empty have no differences", async () => {
    expect(await read({ q: "service:none" })).toMatchObject({ selection: { traces: 0, sampled: 0 }, attributes: [] })
  })
})

it("large groups are sampled, which the answer says", async () => {
  const many = Array.from({ length: 2_500 }, (_, index) =>
    span(10_000 + index, 100_000 + index, {
      startTime: plus(start, -1_000n * SECOND),
      name: "batch",
      resource: { attributes: new Map([["service.name", "batch"]]), schemaUrl: "" },
      attributes: new Map([["shard", index < 1_200 ? "a" : "b"]]),
      ...(index < 1_200 && { status: FAILED }),
    }),
  )
  await store().insertSpans(many, "many")
  const differences = await read({ q: "service:batch status:error" })
  expect(differences.selection).toEqual({ traces: 1_200, sampled: 1_000 })
  expect(differences.baseline).toEqual({ traces: 1_300, sampled: 1_000 })
  expect(lines(differences)).toEqual(["shard=a 1000/0"])
})
