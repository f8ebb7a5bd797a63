import type { AnyValueJson, SpanJson, TracesJson } from "../protocol/otlp/traces-json.ts"
import { matchesPattern } from "../protocol/pattern.ts"

/** A trace as the inspector has it. */
export interface FoundTrace {
  readonly traceId: string
  /** Address of its screen. */
  readonly url: string
  /** Of the route that was asked for, with everything below; all spans without a route. By start time. */
  readonly spans: readonly FoundSpan[]
}

export interface FoundSpan {
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly service: string
  /** Milliseconds since the epoch. */
  readonly startMs: number
  readonly durationMs: number
  readonly failed: boolean
  /** Status message, else the message of its first exception; empty without. */
  readonly message: string
  /** Texts, numbers and booleans. Integers beyond 2^53 are rounded. */
  readonly attributes: Readonly<Record<string, string | number | boolean>>
}

const ERROR = 2
const ROUTE = "http.route"
const VITAL = "browser.web_vital."

/** The spans of a trace in OTLP/JSON, by start time. */
export function foundSpans(text: string): FoundSpan[] {
  const { resourceSpans } = JSON.parse(text) as TracesJson
  return resourceSpans
    .flatMap(({ resource, scopeSpans }) => {
      const service = String(attributesOf(resource.attributes)["service.name"] ?? "unknown_service")
      return scopeSpans.flatMap(({ spans }) => spans.map((span) => foundSpan(span, service)))
    })
    .toSorted((a, b) => a.startMs - b.startMs)
}

function foundSpan(span: SpanJson, service: string): FoundSpan {
  const { startTimeUnixNano: start, endTimeUnixNano: end, status, events = [] } = span
  const exception = events.find(({ name }) => name === "exception")
  return {
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    name: span.name,
    service,
    startMs: Number(BigInt(start) / 1_000n) / 1_000,
    durationMs: Number(BigInt(end) - BigInt(start)) / 1e6,
    failed: status.code === ERROR || exception !== undefined,
    message: status.message || String(attributesOf(exception?.attributes)["exception.message"] ?? ""),
    attributes: attributesOf(span.attributes),
  }
}

function attributesOf(pairs: SpanJson["attributes"] = []): Record<string, string | number | boolean> {
  const attributes: Record<string, string | number | boolean> = {}
  for (const { key, value } of pairs) {
    const plain = plainValue(value)
    if (plain !== undefined) attributes[key] = plain
  }
  return attributes
}

function plainValue({
  stringValue,
  boolValue,
  intValue,
  doubleValue,
}: AnyValueJson): string | number | boolean | undefined {
  return stringValue ?? boolValue ?? (intValue === undefined ? undefined : Number(intValue)) ?? doubleValue
}

/** The spans of the route and everything below them, or all spans. */
export function spansOfRoute(spans: readonly FoundSpan[], route: string | undefined): readonly FoundSpan[] {
  if (route === undefined) return spans
  const children = new Map<string, FoundSpan[]>()
  for (const span of spans) {
    const parent = span.parentSpanId ?? ""
    children.set(parent, [...(children.get(parent) ?? []), span])
  }
  const below = new Set(spans.filter((span) => isOfRoute(span, route)))
  // A set visits what is added to it during the loop.
  for (const { spanId } of below) for (const child of children.get(spanId) ?? []) below.add(child)
  return spans.filter((span) => below.has(span))
}

function isOfRoute({ attributes }: FoundSpan, route: string): boolean {
  const own = attributes[ROUTE]
  return typeof own === "string" && matchesPattern(own, route)
}

/** The spans whose length is that of the route: its page loads, navigations and requests. Without a route, the whole trace. */
export function timedSpans(
  spans: readonly FoundSpan[],
  route: string | undefined,
): readonly Pick<FoundSpan, "name" | "durationMs">[] {
  if (route !== undefined) return spans.filter((span) => isOfRoute(span, route) && !span.name.startsWith(VITAL))
  const [first] = spans
  if (first === undefined) return []
  const end = Math.max(...spans.map(({ startMs, durationMs }) => startMs + durationMs))
  return [{ name: first.name, durationMs: end - first.startMs }]
}

/** Values of a web vital, such as `LCP`: one of each page, of its own span if there is one. Milliseconds; a score for `CLS`. */
export function vitalValues(spans: readonly FoundSpan[], vital: string): number[] {
  const key = `${VITAL}${vital.toLowerCase()}.value`
  const values = new Map<string, number>()
  const ownFirst = spans.toSorted((a, b) => Number(b.name.startsWith(VITAL)) - Number(a.name.startsWith(VITAL)))
  for (const { name, spanId, parentSpanId, attributes } of ownFirst) {
    const value = attributes[key]
    const page = name.startsWith(VITAL) ? (parentSpanId ?? spanId) : spanId
    if (typeof value === "number" && !values.has(page)) values.set(page, value)
  }
  return [...values.values()]
}

/** Parents that have not arrived. */
export function missingParents(spans: readonly FoundSpan[]): Set<string> {
  const present = new Set(spans.map(({ spanId }) => spanId))
  return new Set(spans.flatMap(({ parentSpanId: id }) => (id === undefined || present.has(id) ? [] : [id])))
}
