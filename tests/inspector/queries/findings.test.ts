import { describe, expect, it } from "vitest"
import { type Finding, findingsOf } from "#otel/inspector/queries/trace/findings/findings.ts"
import { sampledSpans, siblingGroups } from "#otel/inspector/queries/trace/findings/sibling-calls.ts"
import { linkRows } from "#otel/inspector/queries/trace/waterfall.ts"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { makeSpan, spanId } from "./make-span.ts"
import { outlineOf } from "./make-waterfall.ts"
import { attributes, cart, ERROR, get, loop, ms, MS, sql, times } from "./shop-calls.ts"

/** Findings as the store's reader gives them: only the records of the sample are read. */
function find(...spans: SpanRecord[]): Finding[] {
  const rows = linkRows(outlineOf(spans))
  const groups = siblingGroups(rows.outline, rows.links)
  const sampled = new Set(sampledSpans(rows.outline, groups))
  return findingsOf({
    ...rows,
    groups,
    vitals: spans
      .filter(({ name }) => name.startsWith("browser.web_vital."))
      .map((span) => ({ id: span.spanId, name: span.name, end: Number(span.endTime - spans[0]!.startTime) })),
    pageloads: new Set(spans.filter(isPageload).map((span) => span.spanId)),
    records: new Map(spans.filter((span) => sampled.has(span.spanId)).map((span) => [span.spanId, span])),
  })
}

const isPageload = (span: SpanRecord) => span.attributes.get("sentry.op") === "pageload"
const kindsOf = (...spans: SpanRecord[]) => find(...spans).map(({ kind }) => kind)
const ofKind = (kind: Finding["kind"], ...spans: SpanRecord[]) => find(...spans).filter((each) => each.kind === kind)

describe("repeated siblings (N + 1)", () => {
  it("are one finding with their count, the time they cover and their parent", () => {
    const spans = [...cart, ...loop(200, (i) => sql(`SELECT price FROM prices WHERE sku = '${i}'`))]
    expect(ofKind("repeated_siblings", ...spans)).toEqual([
      {
        kind: "repeated_siblings",
        title: "200 × SELECT shop",
        spanIds: times(200, (i) => spanId(10 + i)),
        count: 200,
        durationNano: String(600 * MS),
        parentSpanId: spanId(2),
        parentName: "priceCart",
        name: "SELECT shop",
        service: "web",
        message: "",
      },
    ])
  })

  it("are found from five on, whatever order they arrived in, and by name alone where no attribute says more", () => {
    const named = (count: number) => [...cart, ...loop(count, () => ({ name: "SELECT shop", kind: "client" }))]
    expect(ofKind("repeated_siblings", ...named(4))).toEqual([])
    expect(ofKind("repeated_siblings", ...named(5).toReversed())).toMatchObject([{ count: 5 }])
  })

  it("are found where a pool runs a few of them at a time, and count the time that they cover once", () => {
    const spans = times(60, (i) =>
      ms(10 + i, 20 + Math.floor(i / 3) * 5, 24 + Math.floor(i / 3) * 5, 2, sql("SELECT 1")),
    )
    expect(ofKind("repeated_siblings", ...cart, ...spans)).toMatchObject([{ count: 60, durationNano: String(80 * MS) }])
  })

  it("are found where the clock of the program has whole milliseconds only", () => {
    const spans = times(6, (i) =>
      makeSpan(10 + i, {
        ...sql("SELECT 1"),
        parent: 2,
        from: BigInt((20 + Math.floor(i / 3)) * MS),
        to: BigInt((20 + Math.floor(i / 3)) * MS + 300_000),
      }),
    )
    expect(ofKind("repeated_siblings", ...cart, ...spans)).toMatchObject([{ count: 6 }])
  })

  it("are found below a parent that is missing", () => {
    expect(ofKind("repeated_siblings", ...loop(6, () => sql("SELECT 1")))).toMatchObject([
      { count: 6, parentSpanId: spanId(2), parentName: null },
    ])
  })

  it("are two findings where two queries alternate", () => {
    const spans = loop(20, (i) => ({ ...sql(`SELECT ${i}`), name: i % 2 === 0 ? "SELECT prices" : "SELECT stock" }))
    expect(ofKind("repeated_siblings", ...cart, ...spans).map(({ title }) => title)).toEqual([
      "10 × SELECT prices",
      "10 × SELECT stock",
    ])
  })

  it("list a bounded number of span ids and count all", () => {
    const [finding] = ofKind(
      "repeated_siblings",
      ms(1, 0, 9_000),
      ms(2, 0, 9_000, 1),
      ...loop(1_500, () => sql("SELECT 1")),
    )
    expect(finding).toMatchObject({ count: 1_500, title: "1500 × SELECT shop" })
    expect(finding!.spanIds).toHaveLength(1_000)
  })

  it.each<[string, SpanRecord[]]>([
    [
      "three different queries",
      ["prices", "stock", "users"].map((name, i) => ms(10 + i, 20 + i * 4, 23 + i * 4, 2, { name })),
    ],
    [
      "six different queries of one name",
      loop(6, (i) => sql(`SELECT a FROM ${["prices", "stock", "users", "carts", "taxes", "texts"][i]}`)),
    ],
    [
      "six requests of one name to different addresses",
      loop(6, (i) => get(`https://api${"abcdef"[i]}.example/${"uvwxyz"[i]}`)),
    ],
    ["parallel calls", times(8, (i) => ms(10 + i, 20, 40 + i, 2, sql(`SELECT ${i}`)))],
    ["a pager of a URL", loop(6, (i) => get(`https://api.example/items?limit=50&page=${i}`))],
    ["a pager of a URL with a cursor", loop(6, (i) => get(`https://api.example/items?cursor=${"abcdefgh".slice(i)}`))],
    ["a pager of a query", loop(6, (i) => sql(`SELECT * FROM items ORDER BY id LIMIT 20 OFFSET ${i * 20}`))],
    ["a pager of a query with placeholders", loop(6, () => sql("SELECT * FROM items ORDER BY id LIMIT $1 OFFSET $2"))],
    ["a pager by key", loop(6, (i) => sql(`SELECT * FROM items WHERE id > ${i * 20} ORDER BY id LIMIT 20`))],
    ["polling", times(6, (i) => ms(10 + i, 20 + i * 5_000, 60 + i * 5_000, 2, get("https://api.example/status")))],
    ["calls under different parents", times(6, (i) => ms(10 + i, i, i + 1, 100 + i, { name: "SELECT" }))],
  ])("are not: %s", (_what, spans) => {
    expect(ofKind("repeated_siblings", ...cart, ...spans)).toEqual([])
  })

  it("are found where each thing is looked up with a limit: that is no pager", () => {
    const spans = loop(6, () => sql("SELECT * FROM posts WHERE author = $1 ORDER BY created LIMIT $2 OFFSET $3"))
    expect(ofKind("repeated_siblings", ...cart, ...spans)).toMatchObject([{ count: 6 }])
    const same = loop(6, () => sql("SELECT * FROM posts WHERE author = 7 ORDER BY created LIMIT 1 OFFSET 0"))
    expect(ofKind("repeated_siblings", ...cart, ...same)).toMatchObject([{ count: 6 }])
  })
})

describe("a call that was retried", () => {
  const post = (url = "https://pay.example/charge") => ({ ...get(url), name: "POST payment" })
  const failed = { status: ERROR }

  it("is one finding with its failed attempts, from the first to the last, and these are no failed calls", () => {
    const found = find(
      ...cart,
      ms(10, 100, 110, 2, { ...post(), ...failed }),
      ms(11, 200, 210, 2, { ...post(), ...failed }),
      ms(12, 400, 410, 2, { ...post(), ...failed }),
      ms(13, 800, 850, 2, post()),
    )
    expect(found.filter(({ kind }) => kind !== "largest_self_time")).toMatchObject([
      {
        kind: "retried_call",
        title: "3 failed attempts of POST payment",
        spanIds: [10, 11, 12, 13].map(spanId),
        count: 4,
        durationNano: String(750 * MS),
        parentName: "priceCart",
      },
    ])
  })

  it("is found among other calls of the same name by its target", () => {
    const spans = loop(12, (i) => ({ ...get(`https://api.example/items/${i === 5 ? 4 : i}`), ...(i === 4 && failed) }))
    const found = find(...cart, ...spans)
    expect(found.find(({ kind }) => kind === "retried_call")).toMatchObject({
      title: "1 failed attempt of GET",
      spanIds: [14, 15].map(spanId),
    })
    expect(found.find(({ kind }) => kind === "repeated_siblings")).toMatchObject({ count: 10 })
  })

  it("is found by the number of the attempt that its spans report", () => {
    const resent = attributes({ "http.request.resend_count": 1, "url.full": "https://mirror.example" })
    expect(
      kindsOf(...cart, ms(10, 100, 110, 2, { ...post(), ...failed }), ms(11, 200, 210, 2, { ...post(), ...resent })),
    ).toContain("retried_call")
  })

  it.each<[string, SpanRecord[]]>([
    [
      "a loop that goes on after one of its calls failed",
      loop(8, (i) => ({ ...sql("SELECT ?"), ...(i === 3 && failed) })),
    ],
    [
      "calls to different addresses that fail one after the other",
      loop(3, (i) => ({ ...get(`https://api.example/${"abc"[i]}`), ...failed })),
    ],
    ["parallel calls that fail", times(3, (i) => ms(10 + i, 20, 40, 2, { ...post(), ...failed }))],
  ])("is not: %s", (_what, spans) => {
    expect(ofKind("retried_call", ...cart, ...spans)).toEqual([])
  })
})

describe("a failed call", () => {
  it("is where the failure began, with its message, and not the callers that failed with it", () => {
    const spans = [
      ms(1, 0, 100, undefined, { status: ERROR }),
      ms(2, 10, 90, 1, { status: ERROR, name: "GET /cart" }),
      ms(3, 20, 30, 2, { status: { code: "error", message: "no such table" }, name: "SELECT cart" }),
    ]
    expect(ofKind("failed_call", ...spans)).toMatchObject([
      {
        title: "SELECT cart failed",
        spanIds: [spanId(3)],
        count: 1,
        message: "no such table",
        parentName: "GET /cart",
      },
    ])
  })

  it("is one finding for all of a name and service", () => {
    const spans = times(3, (i) => ms(10 + i, 20, 40, 2, { status: ERROR, name: "GET /reco" }))
    expect(ofKind("failed_call", ...cart, ...spans)).toMatchObject([{ title: "3 × GET /reco failed", count: 3 }])
  })
})

describe("the largest self time", () => {
  it("is of the span that took most time itself, whatever its children took", () => {
    const spans = [ms(1, 0, 100), ms(2, 5, 95, 1), ms(3, 20, 50, 2, { name: "render" })]
    expect(ofKind("largest_self_time", ...spans)).toMatchObject([
      {
        title: "Largest self time: span 2",
        spanIds: [spanId(2)],
        durationNano: String(60 * MS),
        parentSpanId: spanId(1),
      },
    ])
  })

  it("is not a page load's, in which the visitor reads, and not that of a single span", () => {
    const page = ms(1, 0, 5_000, undefined, attributes({ "sentry.op": "pageload" }))
    expect(ofKind("largest_self_time", page, ms(2, 10, 90, 1))).toMatchObject([{ spanIds: [spanId(2)] }])
    expect(find(ms(1, 0, 100))).toEqual([])
  })
})

describe("what makes a trace doubtful", () => {
  it("a missing parent is a finding with its children", () => {
    const spans = [ms(1, 0, 100), ms(2, 10, 20, 77), ms(3, 30, 40, 77), ms(4, 5, 6, 88)]
    expect(ofKind("missing_parent", ...spans)).toMatchObject([
      {
        title: "Missing parent of 2 spans",
        spanIds: [spanId(2), spanId(3)],
        parentSpanId: spanId(77),
        parentName: null,
      },
      { title: "Missing parent of span 4", spanIds: [spanId(4)], parentSpanId: spanId(88) },
    ])
  })

  it("clock skew is a finding of each service, with how far it is at least", () => {
    const server = { kind: "server" } as const
    const calls = [ms(3, 38, 60, 2, server), ms(4, 45, 60, 2, server), ms(5, 40, 60, 2)]
    const title = "Clock skew: 2 spans before the parent"
    expect(ofKind("clock_skew", ms(1, 0, 100), ms(2, 50, 80, 1), ...calls)).toMatchObject([
      { title, spanIds: [spanId(3), spanId(4)], durationNano: String(12 * MS) },
    ])
  })

  it("web vitals that settle after the last span are a finding, with how much later", () => {
    const page = ms(1, 0, 900, undefined, attributes({ "sentry.op": "pageload" }))
    const vital = (number: number, name: string, to: number) =>
      ms(number, 0, to, 1, { name: `browser.web_vital.${name}` })
    expect(
      ofKind("late_vitals", page, vital(2, "fcp", 300), vital(3, "lcp", 5_300), vital(4, "cls", 950)),
    ).toMatchObject([
      { title: "LCP, CLS after the last span", spanIds: [spanId(3), spanId(4)], durationNano: String(4_400 * MS) },
    ])
  })
})

it("a healthy trace has no finding but its largest self time, and an empty one none", () => {
  expect(kindsOf(ms(1, 0, 100), ms(2, 10, 40, 1), ms(3, 50, 90, 1), ms(4, 55, 80, 3))).toEqual(["largest_self_time"])
  expect(find()).toEqual([])
})

it("findings are in the order of their kinds, of each the longest first, and few of each", () => {
  const loops = times(9, (group) =>
    times(6, (i) =>
      ms(1_000 + group * 10 + i, i * 10, i * 10 + group + 1, 1, {
        ...sql("SELECT 1"),
        name: `query ${group}`,
        service: `s${group}`,
      }),
    ),
  ).flat()
  const found = find(ms(1, 0, 100), ...loops, ms(5, 0, 1, 66), ms(6, 50, 52, 1, { status: ERROR }))
  expect(found.map(({ kind }) => kind)).toEqual([
    ...times(5, () => "repeated_siblings"),
    "failed_call",
    "largest_self_time",
    "missing_parent",
  ])
  expect(found.slice(0, 5).map(({ service }) => service)).toEqual(["s8", "s7", "s6", "s5", "s4"])
})

it("findings of 100,000 spans, each with another missing parent and each failed, are few", () => {
  const spans = times(100_000, (i) => ms(i + 2, i, i + 1, 200_000 + i, { status: ERROR }))
  expect(find(...spans).map(({ kind }) => kind)).toEqual([
    ...times(5, () => "failed_call"),
    "largest_self_time",
    ...times(5, () => "missing_parent"),
  ])
})
