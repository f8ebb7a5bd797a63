import { parseSpanId, parseTraceId } from "#otel/protocol/records/ids.ts"
import type { Resource, SpanRecord } from "#otel/protocol/records/span.ts"
import { fromMilliseconds, nanoseconds } from "#otel/protocol/records/time.ts"
import { hex, xorshift } from "../xorshift.ts"

/**
 * The data of Jaeger's published benchmark of its ClickHouse storage: traces of one root and nine children, of ten services,
 * spread over ten days. The children have attributes of 97 keys and 1,000 values, which rotate, so that each pair of key and
 * value is on about a thousand of ten million spans.
 *
 * @see https://github.com/jaegertracing/jaeger/blob/main/internal/storage/v2/clickhouse/BENCHMARKING.md
 */

export const SPANS_A_TRACE = 10
const SERVICES = 10
const KEYS = 97
const VALUES = 1_000
/** Attributes of a child in the published benchmark. */
export const ATTRIBUTES = 11
/** Most spans take less than 50 ms, and one in a hundred up to a second. */
const USUAL_MS = 50
const SLOW_MS = 1_000
const SLOW_SHARE = 0.01

export const serviceOf = (number: number): string => `service-${number % SERVICES}`
export const operationOf = (child: number): string => `operation-${child}`
export const keyOf = (number: number): string => `attribute.${number % KEYS}`
export const valueOf = (number: number): string => `value-${number % VALUES}`

const RESOURCES: readonly Resource[] = Array.from({ length: SERVICES }, (_, number) => ({
  attributes: new Map([
    ["service.name", serviceOf(number)],
    ["telemetry.sdk.name", "opentelemetry"],
    ["telemetry.sdk.language", "go"],
    ["host.name", "tracegen"],
  ]),
  schemaUrl: "",
}))

/** Traces in chronological order, spread evenly over `lengthMs` from `startMs`, in batches. */
export function* jaegerTraces(
  traces: number,
  startMs: number,
  lengthMs: number,
  { batchSpans, attributes }: { readonly batchSpans: number; readonly attributes: number },
): Generator<SpanRecord[]> {
  const random = xorshift(23)
  let attribute = 0
  let batch: SpanRecord[] = []
  for (let trace = 0; trace < traces; trace++) {
    const traceId = parseTraceId(hex(random, 32))
    const rootId = parseSpanId(`1${hex(random, 15)}`)
    if (!traceId || !rootId) throw new Error("an id came out as zeros")
    const startedAt = startMs + (trace / traces) * lengthMs
    for (let index = 0; index < SPANS_A_TRACE; index++) {
      const start = fromMilliseconds(startedAt + index + random())
      const length = random() * (random() < SLOW_SHARE ? SLOW_MS : USUAL_MS)
      const pairs = index === 0 ? [] : Array.from({ length: attributes }, () => attribute++)
      batch.push({
        traceId,
        spanId: index === 0 ? rootId : (parseSpanId(`1${hex(random, 15)}`) ?? rootId),
        parentSpanId: index === 0 ? undefined : rootId,
        traceState: "",
        flags: 1,
        name: index === 0 ? "request" : operationOf(index),
        kind: index === 0 ? "server" : "client",
        startTime: start,
        endTime: nanoseconds(start + BigInt(Math.floor(length * 1e6))),
        status: { code: "unset", message: "" },
        attributes: new Map(pairs.map((number) => [keyOf(number), valueOf(number)])),
        events: [],
        links: [],
        dropped: { attributes: 0, events: 0, links: 0 },
        resource: RESOURCES[trace % SERVICES]!,
        scope: { name: "tracegen", version: "", attributes: new Map() },
        source: "otlp",
      })
    }
    if (batch.length < batchSpans) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
