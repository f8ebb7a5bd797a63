import { beforeAll, describe, expect, it } from "vitest"
import { durationTerms, rowRange } from "#otel/inspector/queries/list/heatmap.ts"
import { barsOf, timeSteps } from "#otel/inspector/queries/list/trace-overview.ts"
import type { TraceScope } from "#otel/inspector/queries/list/trace-reader.ts"
import { parseFilter, withoutInternal } from "#otel/inspector/search/index.ts"
import { nanoseconds } from "#otel/protocol/records/time.ts"
import { ago, plus, service, span, spanId } from "./spans.ts"
import { storeOfFile } from "./stores.ts"

const store = storeOfFile()
const MINUTE = 60_000
const start = nanoseconds((ago(30 * MINUTE) / 60_000_000_000n) * 60_000_000_000n)
const minute = (number: number, nanos = 0n) => plus(start, BigInt(number) * 60_000_000_000n + nanos)
const route = (name: string) => ({ attributes: new Map([["http.route", name]]) })

/** Three traces of `shop` in the first minute, one of them failed, then one of `blog`, and one of the inspector itself. */
beforeAll(async () => {
  const spans = [0, 1, 2].map((number) =>
    span(number + 1, number + 1, {
      startTime: minute(0, BigInt(number)),
      endTime: minute(0, BigInt(number) + BigInt(number + 1) * 1_000n),
      ...route("/cart"),
    }),
  )
  const failed = { code: "error", message: "" } as const
  await store().insertSpans(
    [
      ...spans,
      span(2, 20, {
        startTime: minute(1),
        parentSpanId: spanId(2),
        status: failed,
        kind: "client",
        resource: service("db"),
      }),
      // The same span over the other protocol.
      { ...spans[2]!, source: "sentry" },
      span(4, 40, { startTime: minute(2), resource: service("blog"), ...route("/post/[id]") }),
      span(5, 50, { startTime: minute(2), resource: service("pagespan"), ...route("/traces") }),
      span(6, 60, { startTime: minute(2, 5n), resource: service("pagespan") }),
      span(6, 61, { startTime: minute(2, 6n), parentSpanId: spanId(60), resource: service("blog") }),
    ],
    "overview",
  )
})

const steps = timeSteps(Number(start / 1_000_000n), Number(start / 1_000_000n) + 60 * MINUTE)
const now = Number(start / 1_000_000n) + 30 * MINUTE
const filtered = (text: string) => ({ filter: parseFilter(text).tree })

describe("the overview of a scope", () => {
  it("counts each trace once, at its start, and by its protocols", async () => {
    const { moments, services, ...counts } = await store().overviewTraces({}, now)
    expect(counts).toEqual({ traces: 6, failed: 1, otlp: 6, sentry: 1, both: 1 })
    expect(steps.stepMs).toBe(MINUTE)
    expect(barsOf(moments, steps)).toEqual([
      { index: 0, traces: 3, failed: 1 },
      { index: 2, traces: 3, failed: 0 },
    ])
    expect(services).toEqual([
      { value: "shop", traces: 3 },
      { value: "blog", traces: 2 },
      { value: "pagespan", traces: 2 },
      { value: "db", traces: 1 },
    ])
  })

  it("contains the matching traces of the time window only", async () => {
    expect(await store().overviewTraces(filtered("service:db"), now)).toMatchObject({ traces: 1, failed: 1 })
    expect(await store().overviewTraces({ since: minute(1) }, now)).toMatchObject({ traces: 3, failed: 0 })
    expect(await store().overviewTraces({ until: minute(2) }, now)).toMatchObject({ traces: 3, failed: 1 })
    expect(await store().overviewTraces(filtered("nothing"), now)).toMatchObject({
      traces: 0,
      moments: [],
      services: [],
    })
  })

  it("omits traces of hidden services only, and counts those that they share with other services", async () => {
    const filter = withoutInternal(undefined, ["pagespan", "pagespan-browser"])
    expect(await store().overviewTraces({ filter }, now)).toMatchObject({ traces: 5 })
  })

  it("has a finer resolution for recent traces, and counts traces after its end at its end", async () => {
    const startMs = Number(start / 1_000_000n)
    const lengths = async (afterMs: number) =>
      (await store().overviewTraces({}, startMs + afterMs)).moments.map(({ atMs }) => atMs - startMs)
    const hour = 60 * MINUTE
    expect(await lengths(-5_500)).toEqual([-6_000])
    expect(await lengths(MINUTE + 1_500)).toEqual([0, MINUTE + 1_000])
    expect(await lengths(3 * hour)).toEqual([0, 2 * MINUTE])
    const halfHours = [0, 2 * MINUTE].map((after) => after - ((startMs + after) % (30 * MINUTE)))
    expect(await lengths(48 * hour)).toEqual([...new Set(halfHours)])
  })
})

describe("the figures of a scope", () => {
  it("count each trace once, and have the 95th percentile of their durations", async () => {
    expect(await store().measureTraces({})).toMatchObject({ traces: 6, failed: 1 })
    const { p95, ...counts } = await store().measureTraces({ ...filtered("service:shop"), until: minute(1) })
    expect(counts).toEqual({ traces: 3, failed: 1 })
    // The failed trace ends with its span in the second minute.
    expect(p95).toBe(60_005_000_000n - 1n)
    expect(await store().measureTraces(filtered("nothing"))).toEqual({ traces: 0, failed: 0, p95: undefined })
  })
})

describe("the heatmap of a scope", () => {
  it("counts each trace once, at the step of its start and the range of its duration", async () => {
    const { cells } = await store().readHeatmap({}, steps)
    // 1, 2 and 3 µs; the second has a later span, which ends after 60.005 s; the others take 5 ms, one of them 6 ns more.
    const rows = Object.fromEntries(cells.map((cell) => [`${cell.step} ${rowRange(cell.row).join("–")}`, cell]))
    expect(Object.entries(rows).map(([at, { traces, failed }]) => [at, traces, failed])).toEqual([
      ["0 1000–1500", 1, 0],
      ["0 3000–5000", 1, 0],
      ["0 60000000000–90000000000", 1, 1],
      ["2 5000000–7000000", 3, 0],
    ])
  })

  it("adds up to the overview, of the matching traces only", async () => {
    const total = async (scope: TraceScope) =>
      (await store().readHeatmap(scope, steps)).cells.reduce((sum, { traces }) => sum + traces, 0)
    expect(await total({})).toBe(6)
    expect(await total({ since: minute(1) })).toBe(3)
    expect(await total(filtered("service:db"))).toBe(1)
    // What a region of its rows writes into the filter is what the row counted.
    const { cells } = await store().readHeatmap({}, steps)
    for (const { row, traces } of cells) expect(await total(filtered(durationTerms(row, row).join(" ")))).toBe(traces)
  })
})

describe("facets of spans", () => {
  it("count traces and not spans, the most frequent first", async () => {
    expect((await store().readSpanFacets(filtered("-service:pagespan"))).route).toEqual([
      { value: "/cart", traces: 3 },
      { value: "/post/[id]", traces: 1 },
    ])
    expect((await store().readSpanFacets(filtered("service:db"))).kind).toEqual([
      { value: "client", traces: 1 },
      { value: "server", traces: 1 },
    ])
  })
})

describe("entry spans", () => {
  it("are grouped by route with exact percentiles, and a span of both protocols counts once", async () => {
    const cart = (await store().entryStats({}, steps)).find((stats) => stats.route === "/cart")
    expect(cart).toMatchObject({ entry: "server", count: 3, failed: 0, p50: 2_000n, p95: 3_000n, slowest: 3_000n })
    expect(cart?.slowestTraceId).toMatch(/3$/)
    expect(cart?.bars.slice(0, 3)).toEqual([3, 0, 0])
  })

  it("are those of the matching traces, or of the services that are not hidden", async () => {
    const routes = async (scope: Parameters<ReturnType<typeof store>["entryStats"]>[0]) =>
      (await store().entryStats(scope)).map((stats) => stats.route).sort()
    expect(await routes(filtered("service:blog"))).toEqual(["/post/[id]"])
    expect(await routes({ withoutServices: ["pagespan"] })).toEqual(["/cart", "/post/[id]"])
    expect(await routes({ since: minute(1), withoutServices: ["blog"] })).toEqual(["/traces"])
  })

  it("have a trend over time, and so do services", async () => {
    const [busiest, ...others] = await store().serviceActivity({ withoutServices: ["pagespan"] }, steps)
    expect(busiest).toMatchObject({ service: "shop", traces: 3, failed: 0 })
    expect(busiest?.bars.slice(0, 3)).toEqual([3, 0, 0])
    expect(busiest?.failedBars.slice(0, 3)).toEqual([0, 0, 0])
    expect(others.map(({ service: name, failed, bars, failedBars }) => [name, failed, bars[1], failedBars[1]])).toEqual(
      [
        ["blog", 0, 0, 0],
        ["db", 1, 1, 1],
      ],
    )
  })
})

describe("a suggestion", () => {
  it("of attributes and values lists the most frequent first", async () => {
    const attributes = await store().knownAttributes()
    expect(attributes.map(({ value }) => value)).toEqual(["service.name", "http.route"])
    expect(await store().knownValues("http.route", "CAR")).toEqual([{ value: "/cart", spans: 4 }])
    expect((await store().knownValues("service", "")).map(({ value }) => value)).toContain("db")
    expect(await store().knownValues("name", "span 4")).toEqual([{ value: "span 40", spans: 1 }])
    expect(await store().knownValues("no.such.thing", "")).toEqual([])
    expect(await store().knownValues("' OR 1 --", "' OR 1 --")).toEqual([])
  })
})

describe("another service", () => {
  it("is known if a span of it is stored, and not otherwise", async () => {
    const stored = (await store().knownValues("service", "")).map(({ value }) => value)
    expect(await store().hasOtherServices(stored)).toBe(false)
    expect(await store().hasOtherServices(stored.slice(1))).toBe(true)
    expect(await store().hasOtherServices(["') OR 1 --"])).toBe(true)
  })
})

describe("runs", () => {
  const run = { name: "before", filter: "service:shop", since: start, until: undefined }

  it("are stored by name, replaced under the same name, and removed", async () => {
    await store().retainRun(run)
    await store().retainRun({ ...run, name: "after", since: minute(1), until: minute(2) })
    expect(await store().listRuns()).toEqual([{ ...run, name: "after", since: minute(1), until: minute(2) }, run])
    await store().retainRun({ ...run, filter: "service:blog" })
    expect((await store().listRuns()).find(({ name }) => name === "before")?.filter).toBe("service:blog")
    await store().removeRun(run)
    expect((await store().listRuns()).map(({ name }) => name)).toEqual(["after"])
  })

  it("of apps are those with an instance or a run", async () => {
    const resource = {
      attributes: new Map([
        ["service.name", "api"],
        ["service.instance.id", "i-1"],
        ["service.version", "2"],
      ]),
      schemaUrl: "",
    }
    await store().insertSpans([span(90, 900, { startTime: minute(3), resource })], "instance")
    expect(await store().appStarts()).toEqual([
      { service: "api", instance: "i-1", run: "", version: "2", first: minute(3), last: minute(3), traces: 1 },
    ])
  })
})

describe("the traces of a scope that lack a span", () => {
  it("are counted by what they lack, within the filter and the window", async () => {
    const orphan = { startTime: minute(4), parentSpanId: spanId(99) }
    await store().insertSpans(
      [span(7, 70, orphan), span(8, 80, { startTime: minute(4) }), span(8, 81, orphan)],
      "orphans",
    )
    const counts = async (scope: TraceScope) =>
      Object.fromEntries((await store().readMissing(scope)).map(({ value, traces }) => [value, traces]))
    expect(await counts({ since: minute(3) })).toEqual({ root: 1, parent: 2 })
    expect(await counts({ since: minute(3), ...filtered("spans>1") })).toEqual({ root: 0, parent: 1 })
    expect(await counts({ until: minute(3) })).toEqual({ root: 0, parent: 0 })
  })
})
