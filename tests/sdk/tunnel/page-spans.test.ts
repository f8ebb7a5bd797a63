import { describe, expect, onTestFinished, test, vi } from "vitest"
import { tunnelHandler } from "#otel/sdk/tunnel/tunnel.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import type { Answer } from "#tests/support/recording-server.ts"
import { post, tunnelRuntime } from "./tunnel-runtime.ts"

const HAS_IS_REMOTE = 0x100
const IS_REMOTE = 0x200
const NANOS_PER_MS = 1_000_000n

interface OtlpSpan {
  readonly name: string
  readonly kind: number
  readonly flags: number
  readonly links: readonly { readonly flags: number; readonly droppedAttributesCount: number }[]
  readonly events: readonly { readonly droppedAttributesCount: number }[]
  readonly droppedEventsCount: number
}

interface OtlpResourceSpans {
  readonly resource: { readonly attributes: readonly { key: string; value: { stringValue: string } }[] }
  readonly scopeSpans: readonly { readonly schemaUrl?: string; readonly spans: readonly OtlpSpan[] }[]
}

function span(number: number, flags: number, more: object = {}) {
  const start = BigInt(Date.now()) * NANOS_PER_MS
  return {
    traceId: "0af7651916cd43dd8448eb211c80319c",
    spanId: `000000000000000${number}`,
    parentSpanId: "00000000000000ff",
    name: `span ${number}`,
    kind: 1,
    flags,
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(start + NANOS_PER_MS),
    ...more,
  }
}

function resourceSpans(attributes: Record<string, string>, ...spans: readonly object[]) {
  const list = Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } }))
  return { resource: { attributes: list }, scopeSpans: [{ scope: { name: "pagespan" }, spans }] }
}

/** The OTLP/JSON that the tunnel sends to the collector, and the drops that it counts. */
async function exported(sent: readonly object[], answer?: Answer) {
  const collector = await new RecordingCollector().listen()
  onTestFinished(() => collector.close())
  if (answer !== undefined) collector.answer = answer
  const { drops, spans } = tunnelRuntime({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
  })
  const body = JSON.stringify({ resourceSpans: sent })
  expect((await tunnelHandler(post(body, { "content-type": "application/json" }))).status).toBe(204)
  await collector.waitForSpan("of the page", () => true)
  const request = JSON.parse(collector.requests.find(({ path }) => path === "/v1/traces")?.body.toString() ?? "") as {
    resourceSpans: OtlpResourceSpans[]
  }
  return { groups: request.resourceSpans, drops, stored: spans }
}

/** What the server says of its pages, whatever they say of themselves. */
const IDENTITY = {
  "service.name": "shop-browser",
  "service.version": "1.2.3",
  "deployment.environment.name": "production",
  "pagespan.sender": "page",
}

function attributesOf(group: OtlpResourceSpans | undefined): Record<string, string> {
  return Object.fromEntries(group?.resource.attributes.map(({ key, value }) => [key, value.stringValue]) ?? [])
}

function spansOf(groups: readonly OtlpResourceSpans[]): OtlpSpan[] {
  return groups.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
}

test("four spans of one resource are forwarded with one resource", async () => {
  const spans = [1, 2, 3, 4].map((number) => span(number, 1))
  const { groups } = await exported([
    resourceSpans({ "browser.language": "en" }, ...spans),
    resourceSpans({ "browser.language": "de" }, span(5, 1)),
  ])
  expect(groups.map((group) => spansOf([group]).map(({ name }) => name))).toEqual([
    ["span 1", "span 2", "span 3", "span 4"],
    ["span 5"],
  ])
  expect(groups.map((group) => attributesOf(group)["browser.language"])).toEqual(["en", "de"])
})

test("flags, dropped counts and schema URLs of spans, links, events and scopes are forwarded unchanged", async () => {
  const flags = [HAS_IS_REMOTE | IS_REMOTE | 1, HAS_IS_REMOTE | 1]
  const sent = flags.map((each, index) =>
    span(index + 1, each, {
      links: flags.map((linkFlags) => ({
        traceId: "0af7651916cd43dd8448eb211c80319c",
        spanId: "00000000000000ee",
        flags: linkFlags,
        droppedAttributesCount: 3,
      })),
      events: [{ timeUnixNano: "1", name: "boom", droppedAttributesCount: 4 }],
      droppedEventsCount: 5,
    }),
  )
  const schemaUrl = "https://opentelemetry.io/schemas/1.43.0"
  const { groups, stored } = await exported([
    { resource: { attributes: [] }, scopeSpans: [{ scope: { name: "pagespan" }, schemaUrl, spans: sent }] },
  ])
  for (const [index, each] of spansOf(groups).entries()) {
    expect(each.flags).toBe(flags[index])
    expect(each.links.map((link) => [link.flags, link.droppedAttributesCount])).toEqual(flags.map((one) => [one, 3]))
    expect(each.events.map(({ droppedAttributesCount }) => droppedAttributesCount)).toEqual([4])
    expect(each.droppedEventsCount).toBe(5)
  }
  expect(groups[0]?.scopeSpans.map((scope) => scope.schemaUrl)).toEqual([schemaUrl])
  // The inspector of this process gets the same, and forwards it.
  expect(stored.map(({ links }) => links.map((link) => [link.flags, link.droppedAttributes]))).toEqual(
    flags.map(() => flags.map((one) => [one, 3])),
  )
  expect(stored.map(({ scope }) => scope.schemaUrl)).toEqual([schemaUrl, schemaUrl])
})

describe("the identity of a page's spans", () => {
  test("is that of the server's settings, and only attributes about the browser are the page's", async () => {
    const own = {
      "browser.language": "en",
      "browser.platform": "Linux",
      "telemetry.sdk.language": "webjs",
      "user_agent.original": "Mozilla/5.0",
      "session.id": "s1",
    }
    const { groups, drops } = await exported([resourceSpans({ ...IDENTITY, ...own }, span(1, 1))])
    expect(attributesOf(groups[0])).toEqual({ ...IDENTITY, ...own })
    expect(drops()).toEqual([])
  })

  test("cannot be that of another service, host or deployment: this is counted, and the spans are sent", async () => {
    const forged = {
      "service.name": "payments-api",
      "service.version": "9.9.9",
      "service.instance.id": "1",
      "deployment.environment.name": "staging",
      "host.name": "db-1",
      "k8s.pod.name": "payments-0",
      "process.pid": "1",
      "pagespan.sender": "server",
      "pagespan.run": "nightly",
      "browserx.language": "en",
      __proto__: "polluted",
    }
    const { groups, drops, stored } = await exported([
      resourceSpans({ ...forged, "browser.language": "en" }, span(1, 1)),
    ])
    expect(attributesOf(groups[0])).toEqual({ ...IDENTITY, "browser.language": "en" })
    expect(drops()).toEqual([`tunnel foreign_identity/default=${Object.keys(forged).length}`])
    expect(Object.fromEntries(stored[0]?.resource.attributes ?? [])).toEqual({ ...IDENTITY, "browser.language": "en" })
  })

  test("is short, since the resource is stored with every span", async () => {
    const long = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`browser.${index}`, "x".repeat(5_000)]))
    const { groups, drops } = await exported([resourceSpans(long, span(1, 1))])
    const texts = Object.values(attributesOf(groups[0]))
    expect(texts).toHaveLength(32 + Object.keys(IDENTITY).length)
    expect(Math.max(...texts.map((text) => text.length))).toBe(1_024)
    expect(drops()).toEqual(["tunnel foreign_identity/default=68"])
  })

  test("has no server, producer or consumer span: each is client or internal", async () => {
    const kinds = [0, 1, 2, 3, 4, 5]
    const { groups, stored } = await exported([resourceSpans({}, ...kinds.map((kind) => span(kind + 1, 1, { kind })))])
    expect(spansOf(groups).map(({ kind }) => kind)).toEqual([1, 1, 1, 3, 1, 1])
    expect(stored.map(({ kind }) => kind)).toEqual([
      "internal",
      "internal",
      "internal",
      "client",
      "internal",
      "internal",
    ])
  })
})

describe("a collector's response", () => {
  const five = resourceSpans({}, ...[1, 2, 3, 4, 5].map((number) => span(number, 1)))
  const partial = (rejectedSpans: unknown) => ({
    status: 200,
    body: JSON.stringify({ partialSuccess: { rejectedSpans, errorMessage: "too old" } }),
  })

  test.each([
    ["rejects two of five", partial("2"), ["forward send_error/span=2"]],
    ["rejects two, as a number", partial(2), ["forward send_error/span=2"]],
    ["rejects more than there were", partial("1000000"), ["forward send_error/span=5"]],
    ["warns, and rejects none", partial("0"), []],
    ["rejects a negative number", partial("-1"), []],
    ["is empty", { status: 200, body: "" }, []],
    ["is no JSON", { status: 200, body: "<html>" }, []],
    ["is a failure", { status: 400, body: "{}" }, ["forward send_error/span=5"]],
  ])("that %s is counted", async (_, answer, expected) => {
    const { drops } = await exported([five], answer)
    await vi.waitFor(() => expect(drops()).toEqual(expected))
    // What is not counted now is not counted later.
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(drops()).toEqual(expected)
  })
})
