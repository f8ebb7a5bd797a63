import type { AttributeValue } from "#otel/protocol/records/attributes.ts"
import { parseSpanId, parseTraceId } from "#otel/protocol/records/ids.ts"
import type { Resource, SpanRecord } from "#otel/protocol/records/span.ts"
import { fromMilliseconds, nanoseconds } from "#otel/protocol/records/time.ts"
import { hex, xorshift } from "./xorshift.ts"

/** Deterministic traces of a small shop: 20 spans, 4 services, 30 routes, about 1.3 KB of JSON per span. */

export const SPANS_A_TRACE = 20
const SERVICES = ["web", "checkout", "stock", "mail"]
const ROUTES = Array.from({ length: 30 }, (_, index) => `/shop/section-${index}/[item]`)
/** One in this many traces has a span of the service `rare`. */
const RARE = 500
/** One in this many traces starts with a page load, which has web vitals. The others start with a request. */
const LOADED = 4
/** The web vitals that a page sends after loading and at its end, each on a span of its own, with their maximum values. */
const VITALS_OF_LOAD: Readonly<Record<string, number>> = { lcp: 5_000, fcp: 3_000, ttfb: 1_000 }
const LAST_VITALS: Readonly<Record<string, number>> = { lcp: 6_000, cls: 0.4, inp: 800 }
/** The indexes of these spans in a trace. */
const LAST_VITALS_AT = 8

const RESOURCES: ReadonlyMap<string, Resource> = new Map(
  [...SERVICES, "rare"].map((name) => [name, { attributes: resourceAttributes(name), schemaUrl: "" }]),
)

/** Batches in chronological order, spread evenly over `lengthMs` from `startMs`. */
export function* syntheticTraces(
  traces: number,
  startMs: number,
  lengthMs: number,
  batchSpans: number,
): Generator<SpanRecord[]> {
  const random = xorshift(7)
  let batch: SpanRecord[] = []
  for (let trace = 0; trace < traces; trace++) {
    const startedAt = startMs + (trace / traces) * lengthMs
    batch.push(...syntheticTrace(trace, startedAt, random))
    if (batch.length < batchSpans) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** A deterministic trace with that many spans. */
export function largeTrace(spans: number, startedAt: number): SpanRecord[] {
  const random = xorshift(11)
  return syntheticTrace(1, startedAt, random, spans)
}

function syntheticTrace(trace: number, startedAt: number, random: () => number, spans = SPANS_A_TRACE): SpanRecord[] {
  const traceId = parseTraceId(`0000${hex(random, 28)}`)
  const route = ROUTES[Math.floor(random() * ROUTES.length)] ?? ""
  const rootId = parseSpanId(`1${hex(random, 15)}`)
  if (!traceId || !rootId) throw new Error("an id came out as zeros")
  const isLoad = trace % LOADED === 0
  return Array.from({ length: spans }, (_, index) => {
    const service = index === 7 && trace % RARE === 0 ? "rare" : (SERVICES[index % SERVICES.length] ?? "")
    const start = fromMilliseconds(startedAt + index * 3 + random())
    const vital = isLoad ? Object.keys(LAST_VITALS)[index - LAST_VITALS_AT] : undefined
    return {
      traceId,
      spanId: index === 0 ? rootId : (parseSpanId(`1${hex(random, 15)}`) ?? rootId),
      parentSpanId: index === 0 ? undefined : rootId,
      traceState: "",
      flags: 1,
      name: index === 0 ? route : (vital && `browser.web_vital.${vital}`) || `${service} operation ${index}`,
      kind: index === 0 && !isLoad ? "server" : "internal",
      startTime: start,
      endTime: nanoseconds(start + BigInt(Math.floor(random() * 5e7))),
      status: { code: random() < 0.02 ? "error" : "unset", message: "" },
      attributes: new Map([
        ...spanAttributes(route, random),
        ...(isLoad && index === 0 ? [["sentry.op", "pageload"] as const, ...valuesOf(VITALS_OF_LOAD, random)] : []),
        ...(vital === undefined ? [] : valuesOf({ [vital]: LAST_VITALS[vital] ?? 0 }, random)),
      ]),
      events: [],
      links: [],
      dropped: { attributes: 0, events: 0, links: 0 },
      resource: RESOURCES.get(service) ?? { attributes: new Map(), schemaUrl: "" },
      scope: { name: "@opentelemetry/instrumentation-http", version: "0.223.0", attributes: new Map() },
      source: "otlp",
    } satisfies SpanRecord
  })
}

function spanAttributes(route: string, random: () => number): ReadonlyMap<string, AttributeValue> {
  return new Map<string, AttributeValue>([
    ["http.route", route],
    ["http.request.method", random() < 0.8 ? "GET" : "POST"],
    ["http.response.status_code", random() < 0.97 ? 200n : 500n],
    ["url.full", `https://shop.example/item/${hex(random, 6)}?page=${Math.floor(random() * 100)}`],
    ["url.path", `/shop/item/${Math.floor(random() * 1e6)}`],
    [
      "user_agent.original",
      `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/${100 + Math.floor(random() * 40)}.0`,
    ],
    ["client.address", `10.0.${Math.floor(random() * 256)}.${Math.floor(random() * 256)}`],
    ["server.port", 443n],
    ["request.id", hex(random, 32)],
    ["cache.hit", random() < 0.5],
  ])
}

function valuesOf(vitals: Readonly<Record<string, number>>, random: () => number): (readonly [string, number])[] {
  return Object.entries(vitals).map(([name, most]) => [`browser.web_vital.${name}.value`, most * random()])
}

function resourceAttributes(name: string): ReadonlyMap<string, AttributeValue> {
  return new Map<string, AttributeValue>([
    ["service.name", name],
    ["service.version", "2.14.1"],
    ["service.instance.id", `${name}-5c9f7d`],
    ["deployment.environment.name", "production"],
    ["host.name", "ip-10-0-0-12"],
    ["process.pid", 4_242n],
    ["telemetry.sdk.name", "opentelemetry"],
    ["telemetry.sdk.language", "nodejs"],
  ])
}
