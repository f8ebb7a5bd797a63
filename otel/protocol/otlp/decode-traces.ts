import { ATTRIBUTE_VALUE_LIMIT_BYTES } from "../limits.ts"
import { type DropCount, DropTally } from "../records/drop.ts"
import { parseSpanId, parseTraceId, type SpanId, type TraceId } from "../records/ids.ts"
import {
  SPAN_KINDS,
  type SpanEvent,
  type SpanLink,
  type SpanRecord,
  type SpanStatus,
  STATUS_CODES,
} from "../records/span.ts"
import type { Nanoseconds } from "../records/time.ts"
import { decodeMessage } from "./decode-message.ts"
import { type OtlpEncoding, undecodable, type Undecodable } from "./message.ts"
import { countSpans, readGroups, type RecordOrigin, type SignalShape } from "./read-groups.ts"
import { countWithinLimit, readAttributes } from "./read-value.ts"
import { jsonScalars, protobufScalars, type RawMessage, RecordReader } from "./record-reader.ts"

export interface DecodedTraces {
  readonly ok: true
  readonly spans: readonly SpanRecord[]
  /** Rejected spans have the category `span`, cuts of accepted spans the category `default`. */
  readonly drops: readonly DropCount[]
}

export interface DecodeLimits {
  /** A request with more spans is refused before any is read. */
  readonly maxSpans: number
  /** Spans that start after this are rejected. */
  readonly latest: Nanoseconds
}

const SHAPE: SignalShape = {
  groups: "resourceSpans",
  scopeGroups: "scopeSpans",
  records: "spans",
  record: "a span",
  category: "span",
}

/** Reads an `ExportTraceServiceRequest`. Both encodings of one request give equal records. */
export function decodeTraces(
  body: Uint8Array,
  encoding: OtlpEncoding,
  { latest, maxSpans }: DecodeLimits,
): DecodedTraces | Undecodable {
  const request = decodeMessage(body, encoding, "ExportTraceServiceRequest")
  if (!request.ok) return request
  const count = countSpans(request.message)
  if (count > maxSpans) return { ...undecodable("limit_spans", `the request holds more than ${maxSpans} spans`), count }
  const tally = new DropTally()
  const reader = new RecordReader(encoding === "json" ? jsonScalars : protobufScalars, tally)
  const spans = readGroups(reader, request.message, SHAPE, (raw, origin) => readSpan(reader, raw, origin, latest))
  const problem = reader.takeProblem()
  return problem === undefined ? { ok: true, spans, drops: tally.list() } : undecodable("malformed", problem.text)
}

/**
 * Reads one span. The reader reports a problem for each broken rule:
 *
 * - trace and span id have the right length and are not all zeros; a parent id is absent, all zeros (as some SDKs
 *   send without a parent) or valid;
 * - it has a start and an end, which is not before the start;
 * - it does not start after `latest`, since it would stay on top of every list and outlive the retention. Any age is allowed.
 *
 * An invalid link is dropped and counted. An unknown kind or status code is read as `unspecified` or `unset`, as proto3 requires
 * for open enums.
 */
export function readSpan(reader: RecordReader, raw: RawMessage, origin: RecordOrigin, latest: Nanoseconds): SpanRecord {
  const startTime = reader.time(raw["startTimeUnixNano"], "startTimeUnixNano")
  const endTime = reader.time(raw["endTimeUnixNano"], "endTimeUnixNano")
  checkTimes(reader, startTime, endTime, latest)
  return {
    traceId: readTraceId(reader, raw["traceId"]),
    spanId: readSpanId(reader, raw["spanId"]),
    parentSpanId: readParentId(reader, raw["parentSpanId"]),
    traceState: reader.text(raw["traceState"], "traceState", ATTRIBUTE_VALUE_LIMIT_BYTES),
    flags: reader.uint32(raw["flags"], "flags"),
    name: reader.text(raw["name"], "a span's name"),
    kind: SPAN_KINDS[reader.enumNumber(raw["kind"], "kind")] ?? "unspecified",
    startTime,
    endTime,
    status: readStatus(reader, raw["status"]),
    attributes: readAttributes(reader, raw["attributes"], "span attributes"),
    events: readEvents(reader, raw["events"]),
    links: readLinks(reader, raw["links"]),
    dropped: {
      attributes: reader.uint32(raw["droppedAttributesCount"], "droppedAttributesCount"),
      events: reader.uint32(raw["droppedEventsCount"], "droppedEventsCount"),
      links: reader.uint32(raw["droppedLinksCount"], "droppedLinksCount"),
    },
    resource: origin.resource,
    scope: origin.scope,
    source: "otlp",
  }
}

function checkTimes(reader: RecordReader, start: Nanoseconds, end: Nanoseconds, latest: Nanoseconds): void {
  if (start === 0n) reader.fail("invalid", "startTimeUnixNano is not set")
  else if (end === 0n) reader.fail("invalid", "endTimeUnixNano is not set")
  else if (end < start) reader.fail("invalid", "the span ends before it starts")
  else if (start > latest) reader.fail("invalid", "the span starts in the future")
}

/** Placeholder of an invalid id. The span is rejected. */
const NO_TRACE_ID = "" as TraceId
const NO_SPAN_ID = "" as SpanId
const ALL_ZEROS = "0000000000000000"

function readTraceId(reader: RecordReader, value: unknown): TraceId {
  const id = parseTraceId(reader.hexId(value, "traceId"))
  if (id === undefined) reader.fail("invalid", "traceId is not 16 bytes that are not all zero")
  return id ?? NO_TRACE_ID
}

function readSpanId(reader: RecordReader, value: unknown): SpanId {
  const id = parseSpanId(reader.hexId(value, "spanId"))
  if (id === undefined) reader.fail("invalid", "spanId is not 8 bytes that are not all zero")
  return id ?? NO_SPAN_ID
}

function readParentId(reader: RecordReader, value: unknown): SpanId | undefined {
  const text = reader.hexId(value, "parentSpanId")
  if (text === "" || text === ALL_ZEROS) return undefined
  const id = parseSpanId(text)
  if (id === undefined) reader.fail("invalid", "parentSpanId is not 8 bytes")
  return id
}

function readStatus(reader: RecordReader, value: unknown): SpanStatus {
  const raw = reader.message(value, "status")
  return {
    code: STATUS_CODES[reader.enumNumber(raw["code"], "status.code")] ?? "unset",
    message: reader.text(raw["message"], "status.message", ATTRIBUTE_VALUE_LIMIT_BYTES),
  }
}

function readEvents(reader: RecordReader, value: unknown): SpanEvent[] {
  const all = reader.messages(value, "events")
  return all.slice(0, countWithinLimit(reader, all, "events")).map((event) => {
    const raw = reader.message(event, "an event")
    return {
      time: reader.time(raw["timeUnixNano"], "timeUnixNano"),
      name: reader.text(raw["name"], "an event's name"),
      attributes: readAttributes(reader, raw["attributes"], "event attributes"),
      ...present(
        "droppedAttributes",
        reader.uint32(raw["droppedAttributesCount"], "an event's droppedAttributesCount"),
      ),
    }
  })
}

function readLinks(reader: RecordReader, value: unknown): SpanLink[] {
  const all = reader.messages(value, "links")
  return all.slice(0, countWithinLimit(reader, all, "links")).flatMap((link) => {
    const raw = reader.message(link, "a link")
    const traceId = parseTraceId(reader.hexId(raw["traceId"], "a link's traceId"))
    const spanId = parseSpanId(reader.hexId(raw["spanId"], "a link's spanId"))
    if (traceId === undefined || spanId === undefined) {
      reader.cut("invalid", "a link to no valid span")
      return []
    }
    return {
      traceId,
      spanId,
      traceState: reader.text(raw["traceState"], "a link's traceState", ATTRIBUTE_VALUE_LIMIT_BYTES),
      attributes: readAttributes(reader, raw["attributes"], "link attributes"),
      ...present("flags", reader.uint32(raw["flags"], "a link's flags")),
      ...present("droppedAttributes", reader.uint32(raw["droppedAttributesCount"], "a link's droppedAttributesCount")),
    }
  })
}

/** A field that records hold only where it is set. */
function present<Name extends string>(name: Name, value: number): { readonly [Key in Name]?: number } {
  return value === 0 ? {} : ({ [name]: value } as { readonly [Key in Name]: number })
}
