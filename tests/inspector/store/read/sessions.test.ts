import { beforeAll, describe, expect, test } from "vitest"
import { journeyOf } from "#otel/inspector/queries/sessions/journey.ts"
import type { Attributes } from "#otel/protocol/records/attributes.ts"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { error } from "../events.ts"
import { ago, plus, service, span, spanId, traceId } from "../spans.ts"
import { storeOfFile } from "../stores.ts"

const store = storeOfFile()
const MINUTE = 60_000
const ID = "11111111-2222-4333-8444-555555555555"

function view(trace: number, minutesAgo: number, attributes: Record<string, string | number>): SpanRecord {
  const startTime = ago(minutesAgo * MINUTE)
  const bag = new Map(Object.entries({ "session.id": ID, ...attributes })) as Attributes
  const record = span(trace, trace, { kind: "internal", name: `view ${trace}`, startTime, attributes: bag })
  return { ...record, endTime: plus(startTime, 2_000_000_000n), resource: service("shop-browser") }
}

beforeAll(async () => {
  const load = view(1, 50, { "sentry.op": "pageload", "http.route": "/", "browser.web_vital.lcp.value": 900 })
  const settled = {
    ...view(1, 50, { "browser.web_vital.lcp.value": 1_200 }),
    spanId: spanId(0x101),
    parentSpanId: spanId(1),
    name: "browser.web_vital.lcp",
  }
  const server = { ...span(1, 0x102, { parentSpanId: spanId(1), startTime: ago(50 * MINUTE) }) }
  const failed = { ...view(3, 20, { "sentry.op": "navigation", "http.route": "/pay" }) }
  await store().insertSpans(
    [
      load,
      settled,
      server,
      view(2, 49, { "sentry.op": "navigation", "http.route": "/items/[id]" }),
      { ...failed, status: { code: "error", message: "" } },
      // Another SDK puts the id on every span: the trace is one view.
      view(4, 10, {}),
      { ...view(4, 9, {}), spanId: spanId(0x401), parentSpanId: spanId(4) },
      { ...view(5, 48, { "session.id": "another", "sentry.op": "pageload" }) },
    ],
    "views",
  )
  await store().insertErrors(
    [
      error(1, 1, { traceId: traceId(3), spanId: spanId(3), type: "PaymentError", time: ago(20 * MINUTE - 1_000) }),
      error(2, 2, { traceId: undefined, spanId: undefined, type: "Early", time: ago(51 * MINUTE), tags: named(ID) }),
      error(3, 3, { traceId: traceId(5), type: "Other", time: ago(48 * MINUTE) }),
    ],
    "errors",
  )
})

const named = (id: string) => new Map([["session.id", id]])

describe("a session", () => {
  test("has its page loads and navigations in order, vitals with the page load, and another SDK's trace as one view", async () => {
    const session = await store().readSession(ID)
    expect(session?.views.map(({ kind, name, failed }) => [kind, name, failed])).toEqual([
      ["pageload", "/", false],
      ["navigation", "/items/[id]", false],
      ["navigation", "/pay", true],
      ["other", "view 4", false],
    ])
    expect(session?.views.map(({ vitals }) => vitals)).toEqual([{ lcp: 1_200 }, {}, {}, {}])
    expect(session?.isCut).toBe(false)
  })

  test("has the errors of its traces and those that name it, each in its view, and the pauses between views", async () => {
    const session = await store().readSession(ID)
    const steps = journeyOf(session!)
    expect(
      steps.map(({ view: shown, errors }) => [shown?.name, errors.map(({ title }) => title.split(":")[0])]),
    ).toEqual([
      [undefined, ["Early"]],
      ["/", []],
      ["/items/[id]", []],
      ["/pay", ["PaymentError"]],
      ["view 4", []],
    ])
    const minutes = steps.map(({ idle }) => Math.round(Number(idle / 1_000_000n) / MINUTE))
    expect(minutes).toEqual([0, 1, 1, 29, 10])
  })

  test("is found from any trace of it, and an id that nothing has is unknown", async () => {
    expect(await store().readSessionsOfTrace(traceId(1))).toEqual([ID])
    expect(await store().readSessionsOfTrace(traceId(77))).toEqual([])
    expect(await store().readSession("none' OR 1=1 --")).toBeUndefined()
    expect(await store().readSession("")).toBeUndefined()
  })

  test("has the vitals of each page load where a trace has several, as that of a test has", async () => {
    const id = "22222222-2222-4333-8444-555555555555"
    const page = (number: number, minutesAgo: number, lcp: number): SpanRecord[] => {
      const load = view(6, minutesAgo, { "session.id": id, "sentry.op": "pageload", "http.route": `/page-${number}` })
      const vital = view(6, minutesAgo, { "session.id": id, "browser.web_vital.lcp.value": lcp })
      return [
        { ...load, spanId: spanId(number) },
        { ...vital, spanId: spanId(number + 1), parentSpanId: spanId(number), name: "browser.web_vital.lcp" },
      ]
    }
    await store().insertSpans([...page(0x601, 9, 700), ...page(0x611, 8, 1_700)], "pages of a test")
    const session = await store().readSession(id)
    expect(session?.views.map(({ name, vitals }) => [name, vitals])).toEqual([
      ["/page-1537", { lcp: 700 }],
      ["/page-1553", { lcp: 1_700 }],
    ])
  })
})
