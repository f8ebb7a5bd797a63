import { INGEST_SPAN_LIMIT } from "../../protocol/limits.ts"
import { decodeTraces } from "../../protocol/otlp/decode-traces.ts"
import { categoryOfItem, type DropReason, quantityOfItem } from "../../protocol/records/drop.ts"
import { fromMilliseconds } from "../../protocol/records/time.ts"
import type { Secret } from "../../protocol/secret.ts"
import { clientReportDrops } from "../../protocol/sentry/read-client-report.ts"
import { type Envelope, splitEnvelope } from "../../protocol/sentry/split-envelope.ts"
import { isRetryable } from "../../protocol/transport/backoff.ts"
import { BodyMemory, readBody } from "../../protocol/transport/read-body.ts"
import { DYNAMIC_HEADERS } from "../../protocol/transport/responses.ts"
import { PAGE_RETRY_HEADER } from "../page-drops.ts"
import { SETTINGS_MEDIA_TYPE } from "../page-settings.ts"
import { processState } from "../process-state.ts"
import { countDrop } from "../server/drops.ts"
import { localInspector } from "../server/local-inspector.ts"
import { serverRuntime, type ServerRuntime } from "../server/runtime.ts"
import { countReportedDrops, reportedDrops } from "./page-drop-reports.ts"
import { exportPageSpans } from "./page-spans.ts"
import { SentryUpstream } from "./sentry-upstream.ts"

/**
 * The tunnel's request handler, from guard to destination: `tunnelHandler` checks the request, `handleBody` reads it,
 * `exportSpans` and `forwardEnvelope` send it on. Destinations come from the configuration alone; nothing in a request
 * selects one. Every refusal is counted. The checks run here rather than in a middleware, so the route is never unguarded.
 */

/** A span that starts further ahead than this comes from a wrong clock. */
const FUTURE_LIMIT_MS = 24 * 60 * 60 * 1_000
const OTLP_MEDIA_TYPE = "application/json"

interface TunnelState {
  /** Memory that request bodies may take together. */
  readonly bodies: BodyMemory
  /** By DSN, so that all requests share what is known about an upstream. */
  readonly upstreams: WeakMap<Secret, SentryUpstream>
}

const state = processState<TunnelState>("tunnel")

function tunnelState(): TunnelState {
  return (state.value ??= { bodies: new BodyMemory(), upstreams: new WeakMap() })
}

export async function tunnelHandler(request: Request): Promise<Response> {
  const runtime = serverRuntime()
  if (runtime === undefined) return respond(503, "Tracing is off in this server.")
  const refusal = localInspector()?.refusal(request)
  if (refusal !== undefined) return refusal
  if (request.method !== "POST") return respond(405, "Only POST is served here.", { allow: "POST" })
  if (!isSameOrigin(request)) return refuse("foreign_origin", 403, "This origin may not use this address.")
  const mediaType = (request.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase()
  // A page whose HTML was rendered at build time asks for its settings, even where the tunnel is off.
  if (mediaType === SETTINGS_MEDIA_TYPE) return Response.json(runtime.pageSettings, { headers: DYNAMIC_HEADERS })
  if (runtime.config.PAGESPAN_TUNNEL === "off") return respond(404, "The tunnel is off.")
  const reports = reportedDrops(request)
  const sender = { reportsDrops: reports !== undefined, retries: request.headers.has(PAGE_RETRY_HEADER) }
  const response = await handleBody(runtime, request, mediaType === OTLP_MEDIA_TYPE, sender)
  // After any other response the page resends the reports.
  if (response.ok) countReportedDrops(reports ?? [])
  return response
}

/** What the sender counts itself. The tunnel does not count it again. */
interface Sender {
  /** Whether it is a page that reports all of its drops. */
  readonly reportsDrops: boolean
  /** Whether it resends a request after a retryable status. */
  readonly retries: boolean
}

async function handleBody(
  runtime: ServerRuntime,
  request: Request,
  isOtlp: boolean,
  sender: Sender,
): Promise<Response> {
  const body = await readBody(request, { memory: tunnelState().bodies })
  if (!body.ok) {
    const { reason, status, message, retryAfterSeconds } = body.refusal
    // A page counts every refused batch of spans. For envelopes it counts a 413, as every Sentry client does.
    const isCounted = (sender.reportsDrops && (isOtlp || status === 413)) || (sender.retries && isRetryable(status))
    if (!isCounted) countDrop("tunnel", reason, "default", 1, message)
    return respond(status, message, retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) })
  }
  return isOtlp
    ? exportSpans(runtime, body.bytes, sender.reportsDrops)
    : forwardEnvelope(upstreamOf(runtime), body.bytes, sender)
}

async function exportSpans(runtime: ServerRuntime, body: Uint8Array, reportsDrops: boolean): Promise<Response> {
  const decoded = decodeTraces(body, "json", {
    latest: fromMilliseconds(Date.now() + FUTURE_LIMIT_MS),
    maxSpans: INGEST_SPAN_LIMIT,
  })
  if (!decoded.ok) return reportsDrops ? respond(400, decoded.problem) : refuse("malformed", 400, decoded.problem)
  for (const { reason, category, count, sample } of decoded.drops) countDrop("tunnel", reason, category, count, sample)
  await exportPageSpans(decoded.spans, runtime.pageSettings, runtime.collector)
  return accepted()
}

async function forwardEnvelope(
  upstream: SentryUpstream | undefined,
  body: Uint8Array,
  { reportsDrops, retries }: Sender,
): Promise<Response> {
  // A page may unload before it learns that Sentry is off and send an envelope anyway. There is nobody to forward it to.
  if (upstream === undefined) return accepted()
  const envelope = splitEnvelope(body)
  if (!envelope.ok) return refuse(envelope.reason, envelope.reason === "too_large" ? 413 : 400, "This is no envelope.")
  const { dsn } = envelope.header
  if (dsn !== undefined && !upstream.isFor(dsn))
    return refuse("foreign_dsn", 403, "This DSN is not the configured one.")
  if (!reportsDrops) countClientReports(envelope)
  const { status, headers, failure } = await upstream.post(body)
  if (failure !== undefined && !(retries && isRetryable(status))) countItems(envelope, failure)
  return status < 300 ? accepted(headers) : respond(status, "", headers)
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
    if (type !== "client_report") countDrop("tunnel", reason, categoryOfItem(type), count, "from a page")
  }
}

function upstreamOf({ config }: ServerRuntime): SentryUpstream | undefined {
  const dsn = config.SENTRY_DSN
  if (dsn === undefined) return undefined
  const { upstreams } = tunnelState()
  const known = upstreams.get(dsn)
  if (known !== undefined) return known
  const upstream = new SentryUpstream(dsn.reveal())
  upstreams.set(dsn, upstream)
  return upstream
}

function refuse(reason: DropReason, status: number, message: string): Response {
  countDrop("tunnel", reason, "default", 1, message)
  return respond(status, message)
}

/** 204 without a body: until a body is read, a browser counts the request against its keepalive quota. */
function accepted(headers: Readonly<Record<string, string>> = {}): Response {
  return respond(204, null, headers)
}

function respond(status: number, message: string | null, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(message, { status, headers: { ...DYNAMIC_HEADERS, ...headers } })
}

/**
 * Whether a request comes from a page of the requested host. Browsers send `Origin` with every `POST`; a request without it
 * does not come from a page. `null`, the origin of sandboxed frames, is foreign: any site can have it. Only the hosts are
 * compared, because behind a proxy that terminates TLS the scheme is unknown.
 */
export function isSameOrigin(request: Request): boolean {
  const origin = request.headers.get("origin")
  if (origin === null) return request.headers.get("sec-fetch-site") !== "cross-site"
  const host = request.headers.get("x-forwarded-host") ?? request.headers.get("host")
  return URL.canParse(origin) && new URL(origin).host === host
}
