import { afterEach, expect, test } from "vitest"
import { QUEUED_ENVELOPE_LIMIT } from "#otel/protocol/limits.ts"
import { formatSpan } from "#otel/protocol/otlp/format-spans.ts"
import { type PageSentry, SentryOutbox } from "#otel/sdk/browser/delivery/sentry-outbox.ts"
import { bareRedaction } from "#otel/sdk/browser/errors/raw-error-event.ts"
import { type Filters, setFilters } from "#otel/sdk/filters.ts"
import { semconvMapping } from "#otel/sdk/sentry/span-mapping.ts"
import { assembleTransaction } from "#otel/sdk/sentry/transaction.ts"
import { finishedSpan } from "#tests/sdk/sentry/finished-span.ts"
import { SECRET, SECRET_SHAPES } from "#tests/sdk/sentry/secret-shapes.ts"

const CHILD = { spanId: "2".repeat(16), parent: { spanId: "b7ad6b7169203331" } }

/** The envelope of a page that unloads before its Sentry client has loaded. */
function leftWith(root: Parameters<typeof finishedSpan>[0], child: Parameters<typeof finishedSpan>[0]): string {
  const sent: string[] = []
  const outbox = new SentryOutbox({
    samplingContext: () => undefined,
    sendRaw: (envelope) => sent.push(envelope),
    isSampled: () => true,
    dropped: () => undefined,
    factsOf: (span) => ({
      release: "shop@1.2.3",
      request: { url: `http://shop.example/${span?.spanContext().spanId}` },
    }),
  })
  const options = { platform: "javascript", eventId: "0".repeat(32), mapping: semconvMapping } as const
  outbox.addTransaction(assembleTransaction(finishedSpan(root), [finishedSpan({ ...CHILD, ...child })], options))
  outbox.leave()
  return sent.join()
}

test.each(SECRET_SHAPES.filter(([, value]) => value !== SECRET && value !== `sid=${SECRET}`))(
  "an early unload sends no secret in the app's own spans: %s = %s",
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

test.each(SECRET_SHAPES.filter(([key]) => !key.startsWith("url.")))(
  "an early unload sends no secret that the app added to Pagespan's own spans: %s = %s",
  (key, value) => {
    const origin = { "sentry.origin": "auto.pageload.pagespan" }
    const sent = leftWith({ attributes: { ...origin, [key]: value } }, { attributes: { ...origin, [key]: value } })
    if (value !== SECRET || /(?:passw|secret|token|key|jwt|otp|sid)/i.test(key)) expect(sent).not.toContain(SECRET)
  },
)

test.each(SECRET_SHAPES)("an early unload sends no secret to a collector: %s = %s", (key, value) => {
  const shown = value === SECRET || value === `sid=${SECRET}` ? "nothing" : value
  const span = finishedSpan({
    name: `asked ${shown}`,
    attributes: { [key]: value },
    events: [{ name: `asked ${shown}`, time: [1_000, 0], attributes: { [key]: value } }],
    links: [{ context: finishedSpan().spanContext(), attributes: { [key]: [value] } }],
  })
  expect(formatSpan(span)).toContain(SECRET)
  expect(formatSpan(span, bareRedaction)).not.toContain(SECRET)
})

test("an early unload sends the app's own spans completely", () => {
  const attributes = {
    "sentry.origin": "auto.pageload.pagespan",
    "http.route": "/items/[id]",
    "session.id": "550e8400-e29b-41d4-a716-446655440000",
    "url.full": "https://shop.example/_next/static/chunks/node_modules_next_dist_compiled_1f56dc.js",
    "browser.web_vital.lcp.value": 1_234.5,
  }
  const [, , payload = ""] = leftWith({ name: "/items/[id]", attributes }, { name: "GET /a", attributes }).split("\n")
  const event = JSON.parse(payload)
  expect(event).toMatchObject({
    transaction: "/items/[id]",
    contexts: { trace: { data: attributes } },
    spans: [{ description: "GET /a", data: attributes }],
    release: "shop@1.2.3",
    request: { url: `http://shop.example/${event.contexts.trace.span_id}` },
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
  const nothing = { exception: undefined, position: undefined, span: undefined, root: undefined }
  outbox.addError({ thrown, message, mechanism, at: 0, ...nothing })
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

/** An outbox that waits for its client, what that client gets, and what is dropped. */
function waitingOutbox() {
  const sent: string[] = []
  const drops: string[] = []
  const outbox = new SentryOutbox({
    samplingContext: () => undefined,
    sendRaw: () => undefined,
    isSampled: () => true,
    dropped: (reason, category, count) => drops.push(`${reason}/${category}=${count}`),
    factsOf: () => ({}),
  })
  const client: PageSentry = {
    captureTransaction: ({ root }) => {
      if (root.name === "broken") throw new Error("in the client")
      sent.push(root.name)
    },
    captureError: () => undefined,
    reportDrop: () => undefined,
    flush: () => undefined,
    stop: () => undefined,
  }
  const add = (name: string) => {
    const options = { platform: "javascript", eventId: "0".repeat(32), mapping: semconvMapping } as const
    const root = finishedSpan({ name })
    outbox.addTransaction(assembleTransaction(root, [finishedSpan(CHILD), finishedSpan(CHILD)], options))
  }
  return { outbox, client, add, sent, drops }
}

test("a transaction that cannot be sent loses no other, and is counted with its spans", () => {
  const { outbox, client, add, sent, drops } = waitingOutbox()
  for (const name of ["first", "broken", "last"]) add(name)
  outbox.connect(client)
  for (const name of ["broken", "later"]) add(name)
  expect(sent).toEqual(["first", "last", "later"])
  const counted = ["internal_sdk_error/transaction=1", "internal_sdk_error/span=3"]
  expect(drops).toEqual([...counted, ...counted])
})

test("a transaction that a full queue has no room for is counted with its spans", () => {
  const { outbox, client, add, sent, drops } = waitingOutbox()
  for (let index = 0; index <= QUEUED_ENVELOPE_LIMIT; index++) add(`root ${index}`)
  outbox.connect(client)
  expect(sent).toHaveLength(QUEUED_ENVELOPE_LIMIT)
  expect(drops).toEqual(["queue_overflow/transaction=1", "queue_overflow/span=3"])
})
