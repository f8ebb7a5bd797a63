import { parseSpanId, parseTraceId, type SpanId, type TraceId } from "../records/ids.ts"
import type { SpanKind, SpanLink, SpanStatus } from "../records/span.ts"
import type { ItemReader } from "./item-reader.ts"
import { isObject, type JsonObject } from "./json.ts"

const LINK_LIMIT = 1_024

const HEX_DIGITS = 32

/** With or without hyphens, as some SDKs write a trace id like a UUID. */
export function traceIdOf(value: unknown): TraceId | undefined {
  if (typeof value !== "string") return undefined
  return parseTraceId(value.length === HEX_DIGITS ? value : value.replaceAll("-", ""))
}

export function spanIdOf(value: unknown): SpanId | undefined {
  return typeof value === "string" ? parseSpanId(value) : undefined
}

/** Words that are no failure: `cancelled` is one in Sentry's own span protocol neither. */
const FINE = new Set(["ok", "cancelled"])
const UNSAID = new Set(["", "unknown", "unset"])

export function statusOf(word: string, message = ""): SpanStatus {
  if (UNSAID.has(word)) return { code: "unset", message: "" }
  if (FINE.has(word)) return { code: "ok", message: "" }
  return { code: "error", message: message || (word === "error" ? "" : word) }
}

const KIND_BY_OP: ReadonlyMap<string, SpanKind> = new Map([
  ["http.server", "server"],
  ["rpc.server", "server"],
  ["http.client", "client"],
  ["rpc.client", "client"],
  ["db", "client"],
  ["db.query", "client"],
  ["queue.publish", "producer"],
  ["queue.process", "consumer"],
])
const KINDS: ReadonlySet<string> = new Set(["internal", "server", "client", "producer", "consumer"])

/** The kind that OpenTelemetry gave the span, where an SDK passed it on; else what the op says. */
export function kindOf(told: unknown, op: string): SpanKind {
  const word = typeof told === "string" ? told.toLowerCase() : ""
  return KINDS.has(word) ? (word as SpanKind) : (KIND_BY_OP.get(op) ?? "internal")
}

/** Links of a trace context or span. One to no valid span is left out and counted. */
export function readLinks(
  reader: ItemReader,
  value: unknown,
  attributesOf: (reader: ItemReader, link: JsonObject) => SpanLink["attributes"],
): SpanLink[] {
  const links: SpanLink[] = []
  if (!Array.isArray(value)) return links
  for (const link of reader.list(value, LINK_LIMIT, "links")) {
    const traceId = isObject(link) ? traceIdOf(link["trace_id"]) : undefined
    const spanId = isObject(link) ? spanIdOf(link["span_id"]) : undefined
    if (!isObject(link) || traceId === undefined || spanId === undefined)
      reader.cut("invalid", "a link to no valid span")
    else links.push({ traceId, spanId, traceState: "", attributes: attributesOf(reader, link) })
  }
  return links
}
