import type { ReactNode } from "react"
import { renderToString } from "react-dom/server"
import { describe, expect, it, vi } from "vitest"
import { SpanPanel } from "#app/traces/[traceId]/_span/span-panel.tsx"
import { TraceNotices } from "#app/traces/[traceId]/trace-notices.tsx"
import { TraceScreen } from "#app/traces/[traceId]/trace-screen.tsx"
import { TraceTable } from "#app/traces/_list/trace-table.tsx"
import { spanDetail, type SpanDetail } from "#otel/inspector/queries/trace/span-detail.ts"
import { nanoseconds } from "#otel/protocol/records/time.ts"
import { EPOCH, makeSpan, spanId, TRACE_ID } from "#tests/inspector/queries/make-span.ts"
import { waterfallOf } from "#tests/inspector/queries/make-waterfall.ts"

const HOSTILE = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "\"'><svg/onload=alert(1)>",
  "javascript:alert(1)",
  "JAVASCRIPT:alert(1)//https://a.test",
  "data:text/html,<script>alert(1)</script>",
  "https://a.test/\u202Egnp.exe",
  "</style><style>*{display:none}</style>",
  "x".repeat(1_000_000),
]

const hostileAttributes = new Map(
  HOSTILE.flatMap(
    (text, i) =>
      [
        [text, "key"],
        [`value ${i}`, text],
      ] as const,
  ),
)
const trace = HOSTILE.map((text, i) =>
  makeSpan(i + 1, {
    ...(i === 0 ? {} : { parent: i }),
    name: text,
    service: text,
    status: { code: "error", message: text },
    traceState: text,
    attributes: hostileAttributes,
    events: [{ time: nanoseconds(EPOCH), name: text, attributes: hostileAttributes }],
    scope: { name: text, version: text, attributes: hostileAttributes },
  }),
)

/** Next's hooks have no router here. */
vi.mock("next/navigation", () => ({
  useSearchParams: () => new URLSearchParams(),
  useRouter: () => ({ refresh: () => undefined }),
}))

function screen(spans = trace) {
  const waterfall = waterfallOf(spans)
  const mark = { spanId: spanId(2), offsetNano: 5 }
  const view = {
    traceId: TRACE_ID,
    name: HOSTILE.join(""),
    service: HOSTILE[1] ?? "",
    waterfall,
    vitals: HOSTILE.map((text, index) => ({
      ...mark,
      name: HOSTILE[2] ?? "",
      value: 1,
      rating: "good" as const,
      page: { spanId: String(index), name: text },
    })),
    errors: [{ ...mark, eventId: "e", issueId: HOSTILE[3] ?? "", title: HOSTILE[4] ?? "" }],
    findings: HOSTILE.map((text) => ({
      kind: "failed_call" as const,
      title: text,
      spanIds: [spanId(2)],
      count: 1,
      durationNano: "5",
      parentSpanId: spanId(1),
      parentName: text,
      name: text,
      service: text,
      message: text,
    })),
  }
  return <TraceScreen view={view} opened={undefined} />
}

const summary = {
  traceId: TRACE_ID,
  name: HOSTILE.join(""),
  provisional: true,
  services: HOSTILE,
  startTimeUnixNano: String(EPOCH),
  durationNano: "5",
  spanCount: 1,
  errorCount: 1,
  sources: ["otlp"],
}
const detail = spanDetail(trace[2] ?? expect.fail("no such span"))
const place = {
  offset: 1,
  self: 1,
  childCount: 1,
  descendantCount: 1,
  path: [],
  onPath: undefined,
  parent: { name: HOSTILE[0] ?? "", spanId: spanId(2) },
  skew: { least: 1, likely: 2 },
}
const panel = (span: SpanDetail) => (
  <SpanPanel
    traceId={TRACE_ID}
    versions={[span, { ...span, source: "sentry", name: HOSTILE[1] ?? "" }]}
    place={place}
    errors={[{ eventId: "e", issueId: HOSTILE[3] ?? "", spanId: spanId(3), title: HOSTILE[4] ?? "", offsetNano: 1 }]}
    onOpen={() => {}}
    onSearch={() => {}}
    onZoom={() => {}}
  />
)

/** React escapes quotes inside values, so that each `name="value"` of a tag is one attribute. */
function attributeNames(html: string): string[] {
  const tags = html.match(/<[a-z](?:"[^"]*"|[^">])*>/gi) ?? []
  const names = tags.flatMap((tag) => [...tag.replaceAll(/"[^"]*"/g, '""').matchAll(/\s([^\s=>]+)/g)])
  return [...new Set(names.map(([, name]) => (name ?? "").toLowerCase()))]
}

describe.each<[string, ReactNode]>([
  ["the trace list", <TraceTable key="list" traces={[summary]} caption="All" colours={new Map()} renderedAt={0} />],
  ["the waterfall", screen()],
  ["the opened span", panel(detail)],
])("%s, as the server sends it", (_name, screen) => {
  const html = renderToString(screen)

  it("has no style attribute, which the content security policy would block", () => {
    expect(attributeNames(html)).not.toContain("style")
  })

  it("renders no received text as markup", () => {
    const tags = [...html.matchAll(/<\/?([a-z]+)/gi)].map(([, tag]) => tag?.toLowerCase())
    expect(tags.filter((tag) => tag === "script" || tag === "img" || tag === "style")).toEqual([])
    expect(attributeNames(html).filter((name) => name.startsWith("on"))).toEqual([])
  })

  it("links only to itself and to http URLs", () => {
    const targets = [...html.matchAll(/href="([^"]*)"/g)].map(([, target]) => target ?? "")
    expect(
      targets.filter(
        (target) =>
          !/^(?:\/traces|\/dropped$|\/api\/traces\/[0-9a-f]+\?|\/errors\/[\w%()]+$|\?span=|https?:\/\/)/.test(target),
      ),
    ).toEqual([])
    expect(targets.filter((target) => target.includes("gnp"))).toEqual([])
  })

  it("has a bounded size, whatever was received", () => {
    expect(html.length).toBeLessThan(400_000)
  })
})

it("the span panel marks external links and sends no referrer", () => {
  const span = makeSpan(1, { attributes: new Map([["url.full", "https://a.test/x?y=1"]]) })
  const html = renderToString(panel(spanDetail(span)))
  const [link] = html.match(/<a [^>]*a\.test[^>]*>/) ?? []
  expect(link).toContain('rel="noopener noreferrer nofollow"')
  expect(html).toContain("(external link)")
})

it("the waterfall of 100,000 spans renders fewer than 300 rows and reports the total", () => {
  const many = Array.from({ length: 100_000 }, (_, i) => makeSpan(i + 1, i === 0 ? {} : { parent: 1 }))
  const html = renderToString(screen(many))
  expect([...html.matchAll(/role="row"/g)].length).toBeLessThan(300)
  expect(html).toContain('aria-rowcount="100001"')
  expect(html).toContain('aria-setsize="99999"')
})

it("a trace over the limit says how much of it is shown", () => {
  const waterfall = { ...waterfallOf([makeSpan(1)]), shown: 250_000, stored: 1_000_000 }
  const html = renderToString(<TraceNotices waterfall={waterfall} rest="ready" loaded={1} />)
  expect(html).toContain("Showing the earliest 250,000 of 1,000,000 spans")
  const whole = renderToString(<TraceNotices waterfall={waterfallOf([makeSpan(1)])} rest="ready" loaded={1} />)
  expect(whole).toBe("")
})
