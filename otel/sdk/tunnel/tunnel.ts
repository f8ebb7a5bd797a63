import { isRetryable } from "../../protocol/transport/backoff.ts"
import { INGEST_SPAN_LIMIT } from "../../protocol/limits.ts"
import { decodeTraces } from "../../protocol/otlp/decode-traces.ts"
import { categoryOfItem, type DropReason, quantityOfItem } from "../../protocol/records/drop.ts"
import { fromMilliseconds } from "../../protocol/records/time.ts"
import type { Secret } from "../../protocol/secret.ts"
import { clientReportDrops } from "../../protocol/sentry/read-client-report.ts"
import { type Envelope, splitEnvelope } from "../../protocol/sentry/split-envelope.ts"
import { BodyMemory, readBody } from "../../protocol/transport/read-body.ts"
import { DYNAMIC_HEADERS } from "../../protocol/transport/responses.ts"
import { PAGE_RETRY_HEADER } from "../page-drops.ts"
import { SETTINGS_MEDIA_TYPE } from "../page-settings.ts"
import { countDrop } from "../server/drops.ts"
import { localInspector } from "../server/local-inspector.ts"
import { serverRuntime, type ServerRuntime } from "../server/runtime.ts"
import { countReportedDrops, reportedDrops } from "./page-drop-reports.ts"
import { forwardPageSpans } from "./page-spans.ts"
import { SentryIngest } from "./sentry-upstream.ts"

/**
 * The tunnel. It sends to configured destinations only, chosen by what the body is and never by what it says; the
 * guard stands in here and not in a middleware. What is refused is counted.
 */

/** A clock that is this far ahead is wrong. */
const FUTURE_LIMIT_MS = 24 * 60 * 60 * 1_000
const OTLP_MEDIA_TYPE = "application/json"

const bodies = new BodyMemory()
const ingests = new WeakMap<Secret, SentryIngest>()

export async function tunnelHandler(request: Request): Promise<Response> {
  const runtime = serverRuntime()
  if (runtime === undefined) return answer(503, "Tracing is off in this server.")
  const refusal = localInspector()?.refusal(request)
  if (refusal !== undefined) return refusal
  if (request.method !== "POST") return answer(405, "Only POST is served here.", { allow: "POST" })
  if (!isSameOrigin(request)) return refuse("foreign_origin", 403, "This origin may not use this address.")
  const mediaType = (request.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase()
  // A page whose HTML was made at build time learns here that it has to post elsewhere.
  if (mediaType === SETTINGS_MEDIA_TYPE) return Response.json(runtime.pageSettings, { headers: DYNAMIC_HEADERS })
  if (runtime.config.PAGESPAN_TUNNEL === "off") return answer(404, "The tunnel is off.")
  const told = reportedDrops(request)
  const sender = { tellsDrops: told !== undefined, retries: request.headers.has(PAGE_RETRY_HEADER) }
  const response = await takeBody(runtime, request, mediaType === OTLP_MEDIA_TYPE, sender)
  // Where the answer is no success, the page tells them again.
  if (response.ok) countReportedDrops(told ?? [])
  return response
}

/** What the sender counts by itself is not counted here. */
interface Sender {
  /** Whether it is a page that tells all that it has lost. */
  readonly tellsDrops: boolean
  /** Whether it sends the same again after a status that may pass. */
  readonly retries: boolean
}

async function takeBody(runtime: ServerRuntime, request: Request, isOtlp: boolean, sender: Sender): Promise<Response> {
  const body = await readBody(request, { memory: bodies })
  if (!body.ok) {
    const { reason, status, message, retryAfterSeconds } = body.refusal
    // Of spans a page counts every refusal, by their number; of envelopes this one, as every Sentry client does.
    const isCounted = (sender.tellsDrops && (isOtlp || status === 413)) || (sender.retries && isRetryable(status))
    if (!isCounted) countDrop("tunnel", reason, "default", 1, message)
    return answer(status, message, retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) })
  }
  return isOtlp
    ? takeSpans(runtime, body.bytes, sender.tellsDrops)
    : takeEnvelope(ingestOf(runtime), body.bytes, sender)
}

function takeSpans(runtime: ServerRuntime, body: Uint8Array, tellsDrops: boolean): Response {
  const decoded = decodeTraces(body, "json", {
    latest: fromMilliseconds(Date.now() + FUTURE_LIMIT_MS),
    maxSpans: INGEST_SPAN_LIMIT,
  })
  if (!decoded.ok) return tellsDrops ? answer(400, decoded.problem) : refuse("malformed", 400, decoded.problem)
  for (const { reason, category, count, sample } of decoded.drops) countDrop("tunnel", reason, category, count, sample)
  forwardPageSpans(decoded.spans, runtime.pageSettings.service, runtime.collector)
  return accepted()
}

async function takeEnvelope(
  ingest: SentryIngest | undefined,
  body: Uint8Array,
  { tellsDrops, retries }: Sender,
): Promise<Response> {
  // A page that was left before it knew its settings may send one all the same; Sentry is off, so there is nothing to lose.
  if (ingest === undefined) return accepted()
  const envelope = splitEnvelope(body)
  if (!envelope.ok) return refuse(envelope.reason, envelope.reason === "too_large" ? 413 : 400, "This is no envelope.")
  const { dsn } = envelope.header
  if (dsn !== undefined && !ingest.isFor(dsn)) return refuse("foreign_dsn", 403, "This DSN is not the configured one.")
  if (!tellsDrops) countClientReports(envelope)
  const { status, headers, failure } = await ingest.post(body)
  if (failure !== undefined && !(retries && isRetryable(status))) countItems(envelope, failure)
  return status < 300 ? accepted(headers) : answer(status, "", headers)
}

function countClientReports({ items }: Envelope): void {
  for (const { type, payload } of items) {
    if (type !== "client_report") continue
    for (const { reason, category, count, sample } of clientReportDrops(payload))
      countDrop("page", reason, category, count, sample)
  }
}

/** Drops of drop reports are not reported. */
function countItems({ items }: Envelope, reason: DropReason): void {
  for (const { type, header } of items) {
    const count = quantityOfItem(header["item_count"])
    if (type !== "client_report") countDrop("tunnel", reason, categoryOfItem(type), count, "of a page")
  }
}

/** One for each configuration, so that what is known of the endpoint is known to every request. */
function ingestOf({ config }: ServerRuntime): SentryIngest | undefined {
  const dsn = config.SENTRY_DSN
  if (dsn === undefined) return undefined
  const known = ingests.get(dsn)
  if (known !== undefined) return known
  const ingest = new SentryIngest(dsn.reveal())
  ingests.set(dsn, ingest)
  return ingest
}

function refuse(reason: DropReason, status: number, message: string): Response {
  countDrop("tunnel", reason, "default", 1, message)
  return answer(status, message)
}

/** Success has no body: a browser that waits for one to be read holds on to what a leaving page may send. */
function accepted(headers: Readonly<Record<string, string>> = {}): Response {
  return answer(204, null, headers)
}

function answer(status: number, message: string | null, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(message, { status, headers: { ...DYNAMIC_HEADERS, ...headers } })
}

/**
 * Whether a request comes from a page of the host that it asks. Browsers name the page in `Origin` on every `POST`;
 * what has none is no page. `null`, the origin of sandboxed frames, is foreign: anyone can have it. Compared by host:
 * behind a proxy that ends TLS the scheme is not known here.
 */
export function isSameOrigin(request: Request): boolean {
  const origin = request.headers.get("origin")
  if (origin === null) return request.headers.get("sec-fetch-site") !== "cross-site"
  const host = request.headers.get("x-forwarded-host") ?? request.headers.get("host")
  return URL.canParse(origin) && new URL(origin).host === host
}
