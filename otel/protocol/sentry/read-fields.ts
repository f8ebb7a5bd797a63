import type { AttributeValue } from "../records/attributes.ts"
import { parseSpanId, parseTraceId, type SpanId, type TraceId } from "../records/ids.ts"
import type { SpanKind, SpanLink, SpanStatus } from "../records/span.ts"
import { nanoseconds, type Nanoseconds } from "../records/time.ts"
import type { ItemReader } from "./item-reader.ts"
import { isObject, type JsonObject } from "./json.ts"

const LINK_LIMIT = 1_024

const HEX_DIGITS = 32

/** Accepts hyphens, since some SDKs write a trace id like a UUID. */
export function traceIdOf(value: unknown): TraceId | undefined {
  if (typeof value !== "string") return undefined
  return parseTraceId(value.length === HEX_DIGITS ? value : value.replaceAll("-", ""))
}

export function spanIdOf(value: unknown): SpanId | undefined {
  return typeof value === "string" ? parseSpanId(value) : undefined
}

/** Statuses that are not failures. In Sentry's own span protocol `cancelled` is not one either. */
const NOT_FAILED = new Set(["ok", "cancelled"])
const UNSET = new Set(["", "unknown", "unset"])

/** Sentry's statuses for the HTTP status codes from 400 to 499. */
const CLIENT_ERRORS = new Set([
  "invalid_argument",
  "unauthenticated",
  "permission_denied",
  "not_found",
  "already_exists",
  "failed_precondition",
  "resource_exhausted",
])

/**
 * The OpenTelemetry status for Sentry's. Sentry gives the span of a server that answers 404 the status `not_found`, and so does
 * Pagespan the load of such a page. By OpenTelemetry's conventions 4xx is an error of the client's span alone: the status of the
 * others is unset, as it is when they arrive over OTLP.
 *
 * @param word Sentry's status.
 * @param message the message of a status in Sentry's second span protocol, whose status is `ok` or `error`; empty in the first.
 * @see https://opentelemetry.io/docs/specs/semconv/http/http-spans/#status
 */
export function statusOf(
  word: string,
  message: string,
  kind: SpanKind,
  attributes: ReadonlyMap<string, AttributeValue>,
): SpanStatus {
  if (UNSET.has(word)) return { code: "unset", message: "" }
  if (NOT_FAILED.has(word)) return { code: "ok", message: "" }
  const reason = message || (word === "error" ? "" : word)
  const httpStatus = Number(attributes.get("http.response.status_code") ?? attributes.get("http.status_code"))
  const isAnswer = kind === "server" || attributes.get("sentry.op") === "pageload"
  const isOfClient = isAnswer && httpStatus >= 400 && httpStatus < 500 && CLIENT_ERRORS.has(reason)
  return isOfClient ? { code: "unset", message: "" } : { code: "error", message: reason }
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

/** The span's OpenTelemetry kind, if an SDK sends it, else the kind of its op. */
export function kindOf(value: unknown, op: string): SpanKind {
  const word = typeof value === "string" ? value.toLowerCase() : ""
  return KINDS.has(word) ? (word as SpanKind) : (KIND_BY_OP.get(op) ?? "internal")
}

/** Reads the links of a trace context or span. An invalid link is dropped and counted. */
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

/** ClickHouse and Go represent nanoseconds as a signed 64-bit integer, which ends in the year 2262. */
const LATEST_TIME = 2n ** 63n - 1n

/** Below this number of seconds doubles are closer together than microseconds, so that different microseconds differ. */
const MICROSECONDS_APART = 2 ** 32

const DECIMAL = /^(\d{1,11})(?:\.(\d+))?$/
/** RFC 3339; without a zone it is UTC, as Sentry reads it. */
const MOMENT =
  /^(?<second>\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2})(?:\.(?<fraction>\d+))?(?<zone>[Zz]|[+-]\d{2}:?\d{2})?$/

/**
 * Reads a time as Sentry's SDKs write it: seconds with a fraction, or RFC 3339. Keeps every digit down to the nanosecond; a JSON
 * number itself has steps of about 240 ns. Returns `undefined` for anything but a time after the epoch.
 */
export function readTime(value: unknown): Nanoseconds | undefined {
  if (typeof value === "number") return fromNumber(value)
  if (typeof value !== "string") return undefined
  return fromSeconds(value) ?? fromMoment(value)
}

/** A transaction has about forty times. Those of whole microseconds are read without converting them to text. */
function fromNumber(value: number): Nanoseconds | undefined {
  if (!Number.isFinite(value) || value <= 0) return undefined
  const microseconds = Math.round(value * 1e6)
  const isWhole = value < MICROSECONDS_APART && microseconds / 1e6 === value
  return isWhole ? nanoseconds(BigInt(microseconds) * 1_000n) : fromSeconds(plainText(value))
}

/** Digits without an exponent. The shortest text of the number is what the SDK wrote. */
function plainText(value: number): string {
  const text = String(value)
  return text.includes("e") ? value.toFixed(9) : text
}

function fromSeconds(text: string): Nanoseconds | undefined {
  const match = DECIMAL.exec(text)
  return match?.[1] === undefined ? undefined : within(match[1], match[2])
}

function fromMoment(text: string): Nanoseconds | undefined {
  const groups = MOMENT.exec(text)?.groups
  if (groups === undefined) return undefined
  const { second = "", zone = "Z" } = groups
  const milliseconds = Date.parse(`${second.replace(/[t ]/, "T")}${zone.toUpperCase()}`)
  return Number.isNaN(milliseconds) ? undefined : within(String(milliseconds / 1_000), groups["fraction"])
}

/** Joins the parts as text, which creates one bigint instead of four. */
function within(seconds: string, fraction = ""): Nanoseconds | undefined {
  const time = BigInt(seconds + fraction.slice(0, 9).padEnd(9, "0"))
  return time > 0n && time <= LATEST_TIME ? nanoseconds(time) : undefined
}
