import type { DoorRequest } from "./door-request.ts"
import { decodeTraces, type OtlpEncoding } from "../wire/otlp/index.ts"
import { type Handled, otlpDoor, refuseUndecodable } from "./otlp-door.ts"
import { latestTime, type RecordsContext, refusedRecords } from "./records-context.ts"
import { partialSuccess } from "./partial-success.ts"

/** `POST /v1/traces`. Bad spans are named in the partial success and counted; the others are in the journal by then. */
export function tracesDoor(context: RecordsContext): (request: DoorRequest) => Promise<Response> {
  return otlpDoor(context, "traces", (body, encoding) => takeTraces(context, body, encoding))
}

/** An `ExportTraceServiceRequest`, whichever way it came. */
export async function takeTraces(context: RecordsContext, body: Uint8Array, encoding: OtlpEncoding): Promise<Handled> {
  const decoded = decodeTraces(body, encoding, { latest: latestTime(context), maxSpans: context.desk.spanLimit })
  if (!decoded.ok) return refuseUndecodable(decoded)
  const admission = await context.desk.admit({ spans: decoded.spans })
  // A refused batch comes again with its bad spans, which are then counted once.
  if (admission.outcome === "refused") return refusedRecords(admission, decoded.spans.length, "spans")
  if (decoded.spans.length > 0) context.onTaken({ spans: decoded.spans })
  for (const loss of decoded.losses) context.losses.record("door", loss)
  return { ok: true, partial: partialSuccess(decoded.losses, { category: "span", one: "span", many: "spans" }) }
}
