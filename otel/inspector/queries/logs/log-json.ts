import { type AttributeValue, base64 } from "../../../protocol/records/attributes.ts"
import type { LogRecord } from "../../../protocol/records/log.ts"
import { serviceName } from "../../../protocol/records/span.ts"
import { shown } from "../trace/span-detail.ts"

/** A value as plain JSON: 64-bit integers and doubles that JSON does not have are text, bytes are base64. */
export type LogValue = string | boolean | number | null | readonly LogValue[] | { readonly [key: string]: LogValue }

/** A log record as the read API answers it. */
export interface LogJson {
  logId: string
  /** Nanoseconds since the epoch. */
  timeUnixNano: string
  /** 1 (trace) to 24 (fatal); 0 if unset. */
  severityNumber: number
  severityText: string
  eventName: string
  body: LogValue
  /** Present for a structured body with 64-bit integers: its JSON with these as numbers, all digits of them. */
  bodyText?: string
  traceId: string | null
  spanId: string | null
  service: string
  attributes: Record<string, LogValue>
  source: string
  /** Present where the request limits lengths, and the body, a value or the number of attributes was cut. */
  isCut?: true
}

/** Attributes of a record that is cut. */
const CUT_ATTRIBUTES = 128

/** @param cut characters after which the body and the values of attributes are cut. */
export function logToJson(log: LogRecord, cut?: number): LogJson {
  const short = new Shortener(cut)
  const kept = cut === undefined ? [...log.attributes] : [...log.attributes].slice(0, CUT_ATTRIBUTES)
  const attributes = Object.fromEntries(kept.map(([key, value]) => [key, short.value(value)]))
  const body = short.value(log.body)
  const isCut = short.hasCut || kept.length < log.attributes.size
  return {
    logId: log.logId,
    timeUnixNano: String(log.time),
    severityNumber: log.severityNumber,
    severityText: log.severityText,
    eventName: log.eventName,
    body,
    ...(typeof body === "object" && holdsInteger(log.body) && { bodyText: jsonText(log.body) }),
    traceId: log.traceId ?? null,
    spanId: log.spanId ?? null,
    service: serviceName(log.resource),
    attributes,
    source: log.source,
    ...(isCut && { isCut }),
  }
}

class Shortener {
  hasCut = false

  constructor(private readonly limit: number | undefined) {}

  /** A value that is too long is the beginning of its text. */
  value(value: AttributeValue): LogValue {
    const json = jsonOf(value)
    if (this.limit === undefined) return json
    const text = typeof json === "string" ? json : jsonText(value)
    const { text: part, cutFrom } = shown(text, this.limit)
    if (cutFrom === undefined) return json
    this.hasCut = true
    return part
  }
}

/** Nesting is bounded by `DEPTH_LIMIT` at ingest. */
export function jsonOf(value: AttributeValue): LogValue {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value)
  if (typeof value === "bigint") return String(value)
  if (value instanceof Uint8Array) return base64(value)
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, inner]) => [key, jsonOf(inner)]))
  return (value as readonly AttributeValue[]).map(jsonOf)
}

function holdsInteger(value: AttributeValue): boolean {
  if (value instanceof Map) return [...value.values()].some(holdsInteger)
  return typeof value === "bigint" || (Array.isArray(value) && value.some(holdsInteger))
}

/** The JSON text of `jsonOf`, but with integers as numbers. */
function jsonText(value: AttributeValue): string {
  if (typeof value === "bigint") return String(value)
  if (value instanceof Map)
    return `{${[...value].map(([key, inner]) => `${JSON.stringify(key)}:${jsonText(inner)}`).join(",")}}`
  return Array.isArray(value) ? `[${value.map(jsonText).join(",")}]` : JSON.stringify(jsonOf(value))
}
