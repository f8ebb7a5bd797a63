import type { SpanRecord } from "../../model/span.ts"
import type { Nanoseconds } from "../../model/time.ts"
import { countSpans } from "./count-records.ts"
import { decodeMessage } from "./decode-message.ts"
import type { OtlpEncoding } from "./encoding.ts"
import { jsonScalars } from "./json-scalars.ts"
import { type LossCount, LossTally } from "../loss-tally.ts"
import { protobufScalars } from "./protobuf-scalars.ts"
import { readGroups, type SignalShape } from "./read-groups.ts"
import { readSpan } from "./read-span.ts"
import { RecordReader } from "./record-reader.ts"
import { type Undecodable, undecodable } from "./undecodable.ts"

export interface DecodedTraces {
  readonly ok: true
  readonly spans: readonly SpanRecord[]
  /** Rejected spans have the category `span`; what was cut from spans that are kept has the category `default`. */
  readonly losses: readonly LossCount[]
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
  const tally = new LossTally()
  const reader = new RecordReader(encoding === "json" ? jsonScalars : protobufScalars, tally)
  const spans = readGroups(reader, request.message, SHAPE, (raw, origin) => readSpan(reader, raw, origin, latest))
  const problem = reader.takeProblem()
  return problem === undefined ? { ok: true, spans, losses: tally.list() } : undecodable("malformed", problem.text)
}
