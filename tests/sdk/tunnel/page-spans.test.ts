import { expect, onTestFinished, test } from "vitest"
import { tunnelHandler } from "#otel/sdk/tunnel/tunnel.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { post, tunnelRuntime } from "./tunnel-runtime.ts"

const HAS_IS_REMOTE = 0x100
const IS_REMOTE = 0x200
const NANOS_PER_MS = 1_000_000n

interface OtlpResourceSpans {
  readonly resource: { readonly attributes: readonly { key: string; value: { stringValue: string } }[] }
  readonly scopeSpans: readonly { readonly spans: readonly { readonly name: string; readonly flags: number }[] }[]
}

function span(number: number, flags: number) {
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
  }
}

function resourceSpans(attributes: Record<string, string>, ...spans: readonly object[]) {
  const list = Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } }))
  return { resource: { attributes: list }, scopeSpans: [{ scope: { name: "pagespan" }, spans }] }
}

/** The OTLP/JSON that the tunnel sends to the collector. */
async function exported(...sent: readonly object[]): Promise<readonly OtlpResourceSpans[]> {
  const collector = await new RecordingCollector().listen()
  onTestFinished(() => collector.close())
  tunnelRuntime({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" })
  const body = JSON.stringify({ resourceSpans: sent })
  expect((await tunnelHandler(post(body, { "content-type": "application/json" }))).status).toBe(204)
  await collector.waitForSpan("of the page", () => true)
  return (JSON.parse(collector.requests[0]?.body.toString() ?? "") as { resourceSpans: OtlpResourceSpans[] })
    .resourceSpans
}

const PAGE = { "service.name": "shop-browser", "service.version": "2", "deployment.environment.name": "staging" }

function attributesOf(group: OtlpResourceSpans | undefined): Record<string, string> {
  return Object.fromEntries(group?.resource.attributes.map(({ key, value }) => [key, value.stringValue]) ?? [])
}

test("four spans of one resource are forwarded with one resource", async () => {
  const spans = [1, 2, 3, 4].map((number) => span(number, 1))
  const groups = await exported(resourceSpans(PAGE, ...spans), resourceSpans({ "service.name": "other" }, span(5, 1)))
  expect(groups.map((group) => group.scopeSpans.flatMap(({ spans: list }) => list.map(({ name }) => name)))).toEqual([
    ["span 1", "span 2", "span 3", "span 4"],
    ["span 5"],
  ])
  expect(attributesOf(groups[0])).toEqual(PAGE)
})

test("the flags of a span are forwarded unchanged", async () => {
  const flags = [HAS_IS_REMOTE | IS_REMOTE | 1, HAS_IS_REMOTE | 1]
  const groups = await exported(resourceSpans(PAGE, ...flags.map((each, index) => span(index + 1, each))))
  expect(
    groups.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans.map((each) => each.flags))),
  ).toEqual(flags)
})

test("a page without service, release and environment gets those of the server's settings", async () => {
  const [group] = await exported(resourceSpans({ "browser.language": "en" }, span(1, 1)))
  expect(attributesOf(group)).toEqual({
    "service.name": "shop-browser",
    "service.version": "1.2.3",
    "deployment.environment.name": "production",
    "browser.language": "en",
  })
})
