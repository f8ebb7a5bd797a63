import { decodeLogs } from "../../../protocol/otlp/decode-logs.ts"
import { decodeTraces } from "../../../protocol/otlp/decode-traces.ts"
import type { OtlpEncoding } from "../../../protocol/otlp/message.ts"
import { countDataPoints } from "../../../protocol/otlp/read-groups.ts"
import type { SpanRecord } from "../../../protocol/records/span.ts"
import { fromMilliseconds, type Nanoseconds } from "../../../protocol/records/time.ts"
import type { HandlerRequest } from "../../../protocol/transport/request.ts"
import { discardAll } from "../discard.ts"
import { partialSuccess } from "../http/refusals.ts"
import type { IngestResult, Ingestor } from "../ingestor.ts"
import { type HandlerContext, type Handled, otlpHandler, refuseUndecodable } from "./otlp-handler.ts"

/** A record may start this far ahead of our clock: the largest time zone mistake, and then some. */
const FUTURE_LIMIT_MS = 24 * 60 * 60 * 1_000

/** What a handler that keeps records needs. */
/** What a handler has taken and acknowledged, for whoever passes it on: spans, or an envelope as it came. */
export type Taken = { readonly spans: readonly SpanRecord[] } | { readonly envelope: Uint8Array }

export interface RecordsContext extends HandlerContext {
  /** Never throws. */
  readonly onStored: (taken: Taken) => void
  readonly ingestor: Ingestor
  readonly clock: () => number
}

/** Records that start after this are rejected. */
export function latestTime({ clock }: RecordsContext): Nanoseconds {
  return fromMilliseconds(clock() + FUTURE_LIMIT_MS)
}

/** OTLP's answer to records that were not admitted: `what` names them in words. */
export function refusedRecords(
  { reason, retryAfterSeconds }: IngestResult & { outcome: "refused" },
  droppedCount: number,
  what: "spans" | "log records",
): Handled {
  const refusal =
    retryAfterSeconds === undefined
      ? ({ status: 413, reason, message: `${droppedCount} ${what} are too many for one request.` } as const)
      : ({
          status: 503,
          reason,
          message: `${capital(what)} cannot be taken now. Send again later.`,
          retryAfterSeconds,
        } as const)
  return { ok: false, refusal, droppedCount }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** `POST /v1/traces`. Bad spans are named in the partial success and counted; the others are in the journal by then. */
export function tracesHandler(context: RecordsContext): (request: HandlerRequest) => Promise<Response> {
  return otlpHandler(context, "traces", (body, encoding) => takeTraces(context, body, encoding))
}

/** An `ExportTraceServiceRequest`, whichever way it came. */
export async function takeTraces(context: RecordsContext, body: Uint8Array, encoding: OtlpEncoding): Promise<Handled> {
  const decoded = decodeTraces(body, encoding, { latest: latestTime(context), maxSpans: context.ingestor.spanLimit })
  if (!decoded.ok) return refuseUndecodable(decoded)
  const result = await context.ingestor.ingest({ spans: decoded.spans })
  // A refused batch comes again with its bad spans, which are then counted once.
  if (result.outcome === "refused") return refusedRecords(result, decoded.spans.length, "spans")
  if (decoded.spans.length > 0) context.onStored({ spans: decoded.spans })
  for (const drop of decoded.drops) context.drops.record("handler", drop)
  return { ok: true, partial: partialSuccess(decoded.drops, { category: "span", one: "span", many: "spans" }) }
}

/** `POST /v1/logs`. Logs that tell of an exception are errors as well. */
export function logsHandler(context: RecordsContext): (request: HandlerRequest) => Promise<Response> {
  return otlpHandler(context, "logs", (body, encoding) => takeLogs(context, body, encoding))
}

/** An `ExportLogsServiceRequest`, whichever way it came. */
export async function takeLogs(context: RecordsContext, body: Uint8Array, encoding: OtlpEncoding): Promise<Handled> {
  const decoded = decodeLogs(body, encoding, {
    latest: latestTime(context),
    receivedAt: fromMilliseconds(context.clock()),
    maxLogs: context.ingestor.spanLimit,
  })
  if (!decoded.ok) return refuseUndecodable(decoded)
  const { logs, errors, drops } = decoded
  const result = await context.ingestor.ingest({ logs, errors })
  // A refused batch comes again with its bad records, which are then counted once.
  if (result.outcome === "refused") return refusedRecords(result, logs.length, "log records")
  for (const drop of drops) context.drops.record("handler", drop)
  return { ok: true, partial: partialSuccess(drops, { category: "log_item", one: "log record", many: "log records" }) }
}

/** `POST /v1/metrics`. Metrics are not what Pagespan shows: they are counted and not kept. */
export function metricsHandler(context: HandlerContext): (request: HandlerRequest) => Promise<Response> {
  return otlpHandler(context, "metrics", (body, encoding) => takeMetrics(context, body, encoding))
}

/** An `ExportMetricsServiceRequest`, whichever way it came. */
export function takeMetrics({ drops }: HandlerContext, body: Uint8Array, encoding: OtlpEncoding): Handled {
  return discardAll(drops, countDataPoints(body, encoding), "metric", "Metrics are not kept by this server")
}
