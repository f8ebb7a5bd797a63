import { NO_ATTRIBUTES } from "#otel/protocol/records/attributes.ts"
import type { SpanId, TraceId } from "#otel/protocol/records/ids.ts"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { nanoseconds } from "#otel/protocol/records/time.ts"

const RESOURCE = { attributes: new Map([["service.name", "shop"]]), schemaUrl: "" }
const SCOPE = { name: "test", version: "", attributes: NO_ATTRIBUTES }
const START = 1_790_000_000_000_000_000n

/** A finished span. Tests set only the fields that they check. */
export function spanRecord(number: number, changes: Partial<SpanRecord> = {}): SpanRecord {
  return {
    traceId: (number + 1).toString(16).padStart(32, "0") as TraceId,
    spanId: (number + 1).toString(16).padStart(16, "0") as SpanId,
    parentSpanId: undefined,
    traceState: "",
    flags: 1,
    name: `span ${number}`,
    kind: "server",
    startTime: nanoseconds(START + BigInt(number)),
    endTime: nanoseconds(START + BigInt(number) + 1_000_000n),
    status: { code: "unset", message: "" },
    attributes: new Map<string, string | bigint | Uint8Array>([
      ["url.path", "/"],
      ["http.response.status_code", 200n],
      ["digest", new Uint8Array([1, 2, 3])],
    ]),
    events: [],
    links: [],
    dropped: { attributes: 0, events: 0, links: 0 },
    resource: RESOURCE,
    scope: SCOPE,
    source: "otlp",
    ...changes,
  }
}

export function spanRecords(count: number, from = 0): SpanRecord[] {
  return Array.from({ length: count }, (_, index) => spanRecord(from + index))
}
