import { FUTURE_LIMIT_MS } from "../../../protocol/limits.ts"
import { decodeLogs } from "../../../protocol/otlp/decode-logs.ts"
import { decodeTraces } from "../../../protocol/otlp/decode-traces.ts"
import { OTLP_MEDIA_TYPES, type OtlpEncoding, type Undecodable } from "../../../protocol/otlp/message.ts"
import { PlainRequest } from "../../../protocol/otlp/plain-request.ts"
import { countDataPoints, type RecordCount } from "../../../protocol/otlp/read-groups.ts"
import { encodeResponse, type OtlpSignal, type PartialSuccess } from "../../../protocol/otlp/responses.ts"
import type { DropCategory, DropCount } from "../../../protocol/records/drop.ts"
import { fromMilliseconds, type Nanoseconds } from "../../../protocol/records/time.ts"
import { type BodyMemory, readBody } from "../../../protocol/transport/read-body.ts"
import { type HandlerRequest, otlpEncoding, unsupportedMediaType } from "../../../protocol/transport/request.ts"
import { DYNAMIC_HEADERS, type Refusal, refusalResponse, WholeResponse } from "../../../protocol/transport/responses.ts"
import { countRefusal, type DropLedger } from "../drop-ledger.ts"
import { answerPreflight, corsHeaders, type GuardPolicy, guardWrite } from "../http/guards.ts"
import type { Acknowledged } from "../acknowledged.ts"
import type { Ingestor, IngestResult } from "../ingestor.ts"
import { senderOf, serviceOrSender } from "../sender-of.ts"

export interface HandlerContext {
  readonly policy: GuardPolicy
  readonly bodies: BodyMemory
  readonly bodyDeadlineMs?: number | undefined
  readonly drops: DropLedger
  /** Who may write. Default: `guardWrite`. */
  readonly guard?: (request: HandlerRequest, policy: GuardPolicy) => Refusal | undefined
}

/** Names the sender of a request. Called for what is dropped of it, so that other requests do not pay for it. */
export type SenderName = () => string

/** The outcome of a request's records. */
export type Handled =
  | { readonly ok: true; readonly partial: PartialSuccess | undefined }
  /** `droppedCount`: how many records are refused, where that is known. */
  | { readonly ok: false; readonly refusal: Refusal; readonly droppedCount?: number }

/** Category under which a request counts that is refused before it is decoded. */
export const DROPPED_AS = { traces: "span", logs: "log_item", metrics: "metric" } as const satisfies Record<
  OtlpSignal,
  DropCategory
>

/**
 * An OTLP/HTTP handler: guard, media type, body, decode and ingest, then a response in the encoding of the request.
 * Every refusal is counted. An unexpected error is counted as well, and answers 500 without details.
 *
 * @see https://opentelemetry.io/docs/specs/otlp/#otlphttp
 */
export function otlpHandler(
  context: HandlerContext,
  signal: OtlpSignal,
  handle: (body: Uint8Array, encoding: OtlpEncoding, sender: SenderName) => Promise<Handled> | Handled,
): (request: HandlerRequest) => Promise<Response> {
  const { policy, drops, guard = guardWrite } = context
  return async (request) => {
    const preflight = answerPreflight(request, policy)
    if (preflight instanceof Response) return preflight
    const encoding = otlpEncoding(request)
    const headers = corsHeaders(request, policy)
    const refuse = (refusal: Refusal, droppedCount?: number) => {
      countRefusal(drops, refusal, DROPPED_AS[signal], droppedCount, senderOf(request))
      return refusalResponse(refusal, encoding, headers)
    }
    const refusal = preflight ?? guard(request, policy)
    if (refusal !== undefined) return refuse(refusal)
    if (encoding === undefined) return refuse(unsupportedMediaType(request))
    try {
      const body = await readBody(request, { memory: context.bodies, deadlineMs: context.bodyDeadlineMs })
      if (!body.ok) return refuse(body.refusal)
      const handled = await handle(body.bytes, encoding, () => senderOf(request))
      if (!handled.ok) return refuse(handled.refusal, handled.droppedCount)
      return success(signal, encoding, handled.partial, headers)
    } catch {
      // A bug. Its message may quote the request, so only the count reports it.
      return refuse(INTERNAL_ERROR)
    }
  }
}

const INTERNAL_ERROR: Refusal = {
  status: 500,
  reason: "internal_sdk_error",
  message: "Internal error: the request was not ingested.",
}

function success(
  signal: OtlpSignal,
  encoding: OtlpEncoding,
  partial: PartialSuccess | undefined,
  headers: Readonly<Record<string, string>>,
): Response {
  const all = { ...DYNAMIC_HEADERS, "content-type": OTLP_MEDIA_TYPES[encoding], ...headers }
  return new WholeResponse(encodeResponse(signal, encoding, partial), all)
}

/** 400 for a malformed request, 413 for one past a limit. Clients retry neither. */
export function refuseUndecodable({ reason, problem, count = 1 }: Undecodable): Handled {
  const message = `${problem.charAt(0).toUpperCase()}${problem.slice(1)}.`
  return { ok: false, refusal: { status: reason === "malformed" ? 400 : 413, reason, message }, droppedCount: count }
}

export interface RecordsContext extends HandlerContext {
  /** Never throws. Absent where nothing is forwarded. */
  readonly onStored?: ((stored: Acknowledged) => void) | undefined
  readonly ingestor: Ingestor
  readonly clock: () => number
}

/** Records that start after this are rejected. */
export function latestTime({ clock }: RecordsContext): Nanoseconds {
  return fromMilliseconds(clock() + FUTURE_LIMIT_MS)
}

/** OTLP's response to records that were not ingested. `what` names them in messages. */
export function refusedRecords(
  { reason, retryAfterSeconds }: IngestResult & { outcome: "refused" },
  droppedCount: number,
  what: "spans" | "log records",
): Handled {
  const refusal =
    retryAfterSeconds === undefined
      ? ({
          status: 413,
          reason,
          message: `Payload too large: ${droppedCount} ${what} exceed the limit of one request.`,
        } as const)
      : ({
          status: 503,
          reason,
          message: `${capital(what)} cannot be ingested now. Retry later.`,
          retryAfterSeconds,
        } as const)
  return { ok: false, refusal, droppedCount }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** `POST /v1/traces`. Invalid spans are counted and named in the partial success; the others are in the journal. */
export function tracesHandler(context: RecordsContext): (request: HandlerRequest) => Promise<Response> {
  return otlpHandler(context, "traces", (...body) => exportTraces(context, ...body))
}

/** Ingests an `ExportTraceServiceRequest`. */
export async function exportTraces(
  context: RecordsContext,
  body: Uint8Array,
  encoding: OtlpEncoding,
  sender: SenderName,
): Promise<Handled> {
  const limits = { latest: latestTime(context), maxSpans: context.ingestor.spanLimit }
  const plain = encoding === "protobuf" ? PlainRequest.from(body, limits) : undefined
  if (plain !== undefined) return exportPlain(context, plain)
  const decoded = decodeTraces(body, encoding, limits)
  if (!decoded.ok) return refuseUndecodable(decoded)
  const result = await context.ingestor.ingest({ spans: decoded.spans })
  // A refused batch is retried with its invalid spans. Counting them here would count them twice.
  if (result.outcome === "refused") return refusedRecords(result, decoded.spans.length, "spans")
  if (decoded.spans.length > 0) context.onStored?.({ spans: decoded.spans })
  const drops = [...decoded.drops, ...result.drops]
  if (drops.length > 0) {
    const from = serviceOrSender(decoded.spans, sender())
    for (const drop of drops) context.drops.record("ingest", drop, from)
  }
  return { ok: true, partial: partialSuccess(drops, { category: "span", one: "span", many: "spans" }) }
}

/** Ingests a request of which nothing is rejected or cut. */
async function exportPlain(context: RecordsContext, request: PlainRequest): Promise<Handled> {
  const result = await context.ingestor.ingestRequest(request)
  if (result.outcome === "refused") return refusedRecords(result, request.spanCount, "spans")
  if (request.spanCount > 0) context.onStored?.(request)
  return { ok: true, partial: undefined }
}

/** `POST /v1/logs`. Logs that record an exception become errors as well. */
export function logsHandler(context: RecordsContext): (request: HandlerRequest) => Promise<Response> {
  return otlpHandler(context, "logs", (...body) => exportLogs(context, ...body))
}

/** Ingests an `ExportLogsServiceRequest`. */
export async function exportLogs(
  context: RecordsContext,
  body: Uint8Array,
  encoding: OtlpEncoding,
  sender: SenderName,
): Promise<Handled> {
  const decoded = decodeLogs(body, encoding, {
    latest: latestTime(context),
    receivedAt: fromMilliseconds(context.clock()),
    maxLogs: context.ingestor.spanLimit,
  })
  if (!decoded.ok) return refuseUndecodable(decoded)
  const { logs, errors } = decoded
  const result = await context.ingestor.ingest({ logs, errors })
  // A refused batch is retried with its invalid records. Counting them here would count them twice.
  if (result.outcome === "refused") return refusedRecords(result, logs.length, "log records")
  if (logs.length > 0) context.onStored?.({ logsRequest: body, encoding, logCount: logs.length })
  const drops = [...decoded.drops, ...result.drops]
  if (drops.length > 0) {
    const from = serviceOrSender(logs, sender())
    for (const drop of drops) context.drops.record("ingest", drop, from)
  }
  return { ok: true, partial: partialSuccess(drops, { category: "log_item", one: "log record", many: "log records" }) }
}

/** `POST /v1/metrics`. Pagespan shows no metrics: data points are counted as dropped. */
export function metricsHandler(context: HandlerContext): (request: HandlerRequest) => Promise<Response> {
  return otlpHandler(context, "metrics", (...body) => exportMetrics(context, ...body))
}

/** Rejects the data points of an `ExportMetricsServiceRequest`. */
export function exportMetrics(
  { drops }: HandlerContext,
  body: Uint8Array,
  encoding: OtlpEncoding,
  sender: SenderName,
): Handled {
  const message = "Metrics are not supported by this server"
  return discardAll(drops, countDataPoints(body, encoding), { category: "metric", message, sender })
}

/** A partial success that rejects every record, so that the client does not retry. */
export function discardAll(
  drops: DropLedger,
  counted: RecordCount,
  {
    category,
    message,
    sender,
  }: { readonly category: DropCategory; readonly message: string; readonly sender: SenderName },
): Handled {
  if (!counted.ok) return refuseUndecodable(counted)
  if (counted.count === 0) return { ok: true, partial: undefined }
  drops.record("ingest", { reason: "unsupported", category, count: counted.count, sample: message }, sender())
  return { ok: true, partial: { rejected: counted.count, message: `${message}.` } }
}

/** Names of a signal's records in messages, and the category of rejected ones. */
export interface RecordWords {
  readonly category: DropCategory
  readonly one: string
  readonly many: string
}

/** The number of rejected records with the reasons, and the parts cut from accepted ones. `undefined` if all were accepted completely. */
export function partialSuccess(drops: readonly DropCount[], words: RecordWords): PartialSuccess | undefined {
  if (drops.length === 0) return undefined
  const rejected = drops.filter(({ category }) => category === words.category)
  const cut = drops.filter(({ category }) => category !== words.category)
  const parts = [
    ...rejected.map(({ count, reason, sample }) => `${counted(count, words)} rejected as ${reason}: ${sample}.`),
    ...cut.map(
      ({ count, sample }) => `${count} ${count === 1 ? "part" : "parts"} of accepted ${words.many} dropped: ${sample}.`,
    ),
  ]
  return { rejected: rejected.reduce((sum, { count }) => sum + count, 0), message: parts.join(" ") }
}

function counted(count: number, { one, many }: RecordWords): string {
  return count === 1 ? `1 ${one}` : `${count} ${many}`
}
