import { afterEach, expect, test } from "vitest"
import { SentryOutbox } from "#otel/sdk/browser/delivery/sentry-outbox.ts"
import { type Filters, setFilters } from "#otel/sdk/filters.ts"
import { semconvMapping } from "#otel/sdk/sentry/span-mapping.ts"
import { assembleTransaction } from "#otel/sdk/sentry/transaction.ts"
import { finishedSpan } from "#tests/sdk/sentry/finished-span.ts"
import { SECRET, SECRET_SHAPES } from "#tests/sdk/sentry/secret-shapes.ts"

const CHILD = { spanId: "2".repeat(16), parent: { spanId: "b7ad6b7169203331" } }

/** The envelope of a page that is left before it has a Sentry client. */
function leftWith(root: Parameters<typeof finishedSpan>[0], child: Parameters<typeof finishedSpan>[0]): string {
  const sent: string[] = []
  const outbox = new SentryOutbox({
    samplingContext: () => undefined,
    sendRaw: (envelope) => sent.push(envelope),
    isSampled: () => true,
    dropped: () => undefined,
    factsOf: ({ event_id }) => ({ release: "shop@1.2.3", request: { url: `http://shop.example/${event_id}` } }),
  })
  const making = { platform: "javascript", eventId: "0".repeat(32), words: semconvMapping } as const
  outbox.addTransaction(assembleTransaction(finishedSpan(root), [finishedSpan({ ...CHILD, ...child })], making))
  outbox.leave()
  return sent.join()
}

test.each(SECRET_SHAPES.filter(([, value]) => value !== SECRET && value !== `sid=${SECRET}`))(
  "a page that is left early holds no secret in what the app traced: %s = %s",
  (key, value) => {
    const context = finishedSpan().spanContext()
    const own = {
      name: `asked ${value}`,
      attributes: { [key]: value },
      links: [{ context, attributes: { [key]: value } }],
    }
    expect(leftWith(own, own)).not.toContain(SECRET)
  },
)

test("a page that is left early tells its own spans whole", () => {
  const attributes = { "sentry.origin": "auto.pageload.pagespan", "http.route": "/items/[id]" }
  const [, , payload = ""] = leftWith({ name: "/items/[id]", attributes }, { name: "GET /a", attributes }).split("\n")
  expect(JSON.parse(payload)).toMatchObject({
    transaction: "/items/[id]",
    contexts: { trace: { data: attributes } },
    spans: [{ description: "GET /a", data: attributes }],
    release: "shop@1.2.3",
    request: { url: `http://shop.example/${"0".repeat(32)}` },
  })
})

afterEach(() => setFilters({}))

/** What becomes of an error in a page that is left before it has a Sentry client. */
function errorLeftWith(message: string): { sent: number; drops: string[] } {
  const sent: string[] = []
  const drops: string[] = []
  const outbox = new SentryOutbox({
    samplingContext: () => undefined,
    sendRaw: (envelope) => sent.push(envelope),
    isSampled: () => true,
    dropped: (reason, category, count) => drops.push(`${reason}/${category}=${count}`),
    factsOf: () => ({}),
  })
  const mechanism = { type: "auto.browser.global_handlers.onerror", handled: false } as const
  const thrown = new Error(message)
  outbox.addError({ thrown, message, mechanism, at: 0, position: undefined, span: undefined, root: undefined })
  outbox.leave()
  return { sent: sent.length, drops }
}

test("an error of a page that is left early is sent by itself, and noise of the browser is not", () => {
  expect(errorLeftWith("boom")).toEqual({ sent: 1, drops: [] })
  for (const noise of ["ResizeObserver loop limit exceeded", "Script error."])
    expect(errorLeftWith(noise)).toEqual({ sent: 0, drops: ["noisy_error/error=1"] })
})

test.each<[string, Partial<Filters>]>([
  ["errors", { errors: [] }],
  ["ignoreErrors", { ignoreErrors: ["other"] }],
  ["beforeSend", { beforeSend: (event) => event }],
])("an app's own %s is not bypassed: without the client, which applies it, no error is sent", (_, filters) => {
  setFilters(filters)
  expect(errorLeftWith("boom")).toEqual({ sent: 0, drops: ["page_left/error=1"] })
})

test("filters of traces hold back no error", () => {
  setFilters({ transactions: [] })
  expect(errorLeftWith("boom")).toEqual({ sent: 1, drops: [] })
})
