import { type DropCount, DropTally } from "../records/drop.ts"
import type { SpanRecord } from "../records/span.ts"
import type { Nanoseconds } from "../records/time.ts"
import { decodeMessage } from "./decode-message.ts"
import { type OtlpEncoding, undecodable, type Undecodable } from "./message.ts"
import { countSpans, readGroups, type SignalShape } from "./read-groups.ts"
import { readSpan } from "./read-span.ts"
import { RecordReader } from "./record-reader.ts"
import { jsonScalars, protobufScalars } from "./scalars.ts"

export interface DecodedTraces {
  readonly ok: true
  readonly spans: readonly SpanRecord[]
  /** Rejected spans have the category `span`; what was cut from spans that are kept has the category `default`. */
  readonly drops: readonly DropCount[]
}

export interface DecodeLimits {
  /** A request with more spans than this is refused as a whole, before any is read. */
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
