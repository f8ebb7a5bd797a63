import { FUTURE_LIMIT_MS, PAGE_BODY_LIMIT_BYTES, PAGE_QUEUE_SPAN_LIMIT } from "../../protocol/limits.ts"
import { decodeTraces } from "../../protocol/otlp/decode-traces.ts"
import { categoryOfItem, type DropReason } from "../../protocol/records/drop.ts"
import { fromMilliseconds } from "../../protocol/records/time.ts"
import type { Secret } from "../../protocol/secret.ts"
import { clientReportDrops } from "../../protocol/sentry/read-client-report.ts"
import { type Envelope, quantityOf, splitEnvelope } from "../../protocol/sentry/split-envelope.ts"
import { isRetryable } from "../../protocol/transport/backoff.ts"
import { readBody, type ReadBody } from "../../protocol/transport/read-body.ts"
import { DYNAMIC_HEADERS, type Refusal } from "../../protocol/transport/responses.ts"
import { TUNNEL_HEADER } from "../../protocol/transport/tunnel-header.ts"
import { PAGE_DROPS_HEADER, PAGE_RETRY_HEADER } from "../page-drops.ts"
import { SETTINGS_MEDIA_TYPE } from "../page-settings.ts"
import { processState } from "../process-state.ts"
import { countDrop } from "../server/drops/count-drop.ts"
import { localInspector } from "../server/local-inspector.ts"
import { serverRuntime, type ServerRuntime } from "../server/runtime.ts"
import { DELIVERY_LIMIT_MS, settled } from "../server/serverless.ts"
import { Budgets, type Lease } from "./budgets.ts"
import { clientOf } from "./client-address.ts"
import { isSameOrigin, listedOrigin, preflightResponse, readableBy } from "./origins.ts"
import { countReportedDrops, reportedDrops } from "./page-drop-reports.ts"
import { exportPageSpans, preparePageSpans } from "./page-spans.ts"
import { completeEnvelope } from "./pages-without-settings.ts"
import { SentryUpstream } from "./sentry-upstream.ts"

/**
 * The tunnel's request handler, from guard to destination: `tunnelHandler` and `handlePost` check the request and the
 * budgets of its client, `handleBody` reads it, `exportSpans` and `forwardEnvelope` send it on. Destinations come from the configuration alone;
 * nothing in a request selects one. Every refusal is counted. The checks run here rather than in a middleware, so the route
 * is never unguarded.
 */

const OTLP_MEDIA_TYPE = "application/json"
/**
 * Not `no-store`: Next says that of each page that it renders for a visitor, and Chromium keeps such a page in the back/forward cache
 * only if no response to its scripts says it too. Without a lifetime, nothing caches the response to a POST anyway.
 */
const TUNNEL_HEADERS = { ...DYNAMIC_HEADERS, "cache-control": "no-cache", [TUNNEL_HEADER]: "1" }

interface TunnelState {
  readonly budgets: Budgets
  /** By DSN, so that all requests share what is known about an upstream. */
  readonly upstreams: WeakMap<Secret, SentryUpstream>
}

const state = processState<TunnelState>("tunnel")

function tunnelState(): TunnelState {
  return (state.value ??= { budgets: new Budgets(), upstreams: new WeakMap() })
}

export async function tunnelHandler(request: Request): Promise<Response> {
  const runtime = serverRuntime()
  if (runtime === undefined) return respond(503, "Tracing is off in this server.")
  const refusal = localInspector()?.refusal(request)
  if (refusal !== undefined) return refusal
  const origin = listedOrigin(request, runtime.config.PAGESPAN_TUNNEL_ORIGINS)
  if (origin === undefined) return handlePost(runtime, request, isSameOrigin(request))
  if (request.method === "OPTIONS") return readableBy(origin, preflightResponse())
  return readableBy(origin, await handlePost(runtime, request, true))
}

async function handlePost(runtime: ServerRuntime, request: Request, isAllowed: boolean): Promise<Response> {
  if (request.method !== "POST") return respond(405, "Only POST is served here.", { allow: "POST" })
  if (!isAllowed) return refuse("foreign_origin", 403, "This origin may not use this address.")
  const delivery = deliveryOf(request)
  const acquired = tunnelState().budgets.acquire(clientOf(request, runtime.config.PAGESPAN_TRUSTED_PROXIES))
  if (!acquired.ok) return refuseDelivery(acquired.refusal, delivery)
  try {
    return await handleRequest(runtime, request, delivery, acquired.lease)
  } finally {
    acquired.lease.end()
  }
}

/** What a request claims to be, and what its sender counts itself. The tunnel does not count that again. */
interface Delivery {
  readonly kind: "settings" | "spans" | "envelope"
  /** Whether the sender is a page that reports all of its drops. */
  readonly reportsDrops: boolean
  /** Whether it resends a request after a retryable status. */
  readonly retries: boolean
}

function deliveryOf({ headers }: Request): Delivery {
  const mediaType = (headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase()
  const kind = mediaType === SETTINGS_MEDIA_TYPE ? "settings" : mediaType === OTLP_MEDIA_TYPE ? "spans" : "envelope"
  return { kind, reportsDrops: headers.has(PAGE_DROPS_HEADER), retries: headers.has(PAGE_RETRY_HEADER) }
}

async function handleRequest(
  runtime: ServerRuntime,
  request: Request,
  delivery: Delivery,
  lease: Lease,
): Promise<Response> {
  // A page whose HTML was rendered at build time asks for its settings, even where the tunnel is off.
  if (delivery.kind === "settings") return Response.json(runtime.pageSettings, { headers: TUNNEL_HEADERS })
  if (runtime.config.PAGESPAN_TUNNEL === "off") return respond(404, "The tunnel is off.")
  const reports = reportedDrops(request)
  const response = await handleBody(runtime, request, delivery, lease)
  // After any other response the page resends the reports.
  if (response.ok) countReportedDrops(reports ?? [])
  return response
}

async function handleBody(
  runtime: ServerRuntime,
  request: Request,
  delivery: Delivery,
  lease: Lease,
): Promise<Response> {
  const isSpans = delivery.kind === "spans"
  const limitBytes = PAGE_BODY_LIMIT_BYTES[isSpans ? "spans" : "envelope"]
  const body = await readBody(request, { memory: lease, limitBytes })
  if (!body.ok) return refuseDelivery(body.refusal, delivery)
  return isSpans ? exportSpans(runtime, body.bytes, delivery, lease) : forwardEnvelope(runtime, body, delivery, lease)
}

/**
 * Responds once the spans are delivered, like the request of an envelope, since a host may stop the process after the
 * response; at the latest after five seconds, while the export goes on.
 */
async function exportSpans(
  { collector, pageSettings }: ServerRuntime,
  body: Uint8Array,
  { reportsDrops }: Delivery,
  lease: Lease,
): Promise<Response> {
  const latest = fromMilliseconds(Date.now() + FUTURE_LIMIT_MS)
  const decoded = lease.work(() => decodeTraces(body, "json", { latest, maxSpans: PAGE_QUEUE_SPAN_LIMIT }))
  if (!decoded.ok) {
    const { reason, problem, count } = decoded
    const status = reason === "malformed" ? 400 : 413
    return reportsDrops ? respond(status, problem) : refuse(reason, status, problem, count)
  }
  for (const { reason, category, count, sample } of decoded.drops) countDrop("tunnel", reason, category, count, sample)
  const spans = lease.work(() => preparePageSpans(decoded.spans, pageSettings))
  // The exporter serializes before it waits.
  const exported = lease.work(() => exportPageSpans(spans, collector))
  lease.holdFor(exported)
  await settled(exported, DELIVERY_LIMIT_MS)
  return accepted()
}

async function forwardEnvelope(
  runtime: ServerRuntime,
  { bytes, sent, encoding }: ReadBody & { ok: true },
  { reportsDrops, retries }: Delivery,
  lease: Lease,
): Promise<Response> {
  const envelope = lease.work(() => splitEnvelope(bytes))
  if (!envelope.ok) return refuse(envelope.reason, envelope.reason === "too_large" ? 413 : 400, "This is no envelope.")
  const upstream = upstreamOf(runtime)
  const { dsn } = envelope.header
  if (dsn !== undefined && upstream?.isFor(dsn) !== true)
    return refuse("foreign_dsn", 403, "This DSN is not the configured one.")
  if (!reportsDrops) lease.work(() => countClientReports(envelope))
  // A page may unload before it learns that Sentry is off and send an envelope anyway. There is nobody to forward it to.
  if (upstream === undefined) return accepted()
  const completed = lease.work(() => completeEnvelope(envelope, runtime.pageSettings))
  if (completed === "unsampled") return accepted()
  const { status, headers, failure } = await (completed === undefined
    ? upstream.post(sent, encoding)
    : upstream.post(completed, undefined))
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
  for (const item of items) {
    if (item.type === "client_report") continue
    countDrop("tunnel", reason, categoryOfItem(item.type), quantityOf(item), "from a page", { name: "Sentry" })
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

/** Refuses a request whose body was not accepted. */
function refuseDelivery(refusal: Refusal, { kind, reportsDrops, retries }: Delivery): Response {
  const { reason, status, message, retryAfterSeconds } = refusal
  // A page counts every refused batch of spans. For envelopes it counts a 413, as every Sentry client does.
  const isCounted = (reportsDrops && (kind === "spans" || status === 413)) || (retries && isRetryable(status))
  if (!isCounted) countDrop("tunnel", reason, "default", 1, message)
  return respond(status, message, retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) })
}

/** @param spans how many spans are refused, if it is spans. */
function refuse(reason: DropReason, status: number, message: string, spans?: number): Response {
  countDrop("tunnel", reason, spans === undefined ? "default" : "span", spans ?? 1, message)
  return respond(status, message)
}

/** 204 without a body: until a body is read, a browser counts the request against its keepalive quota. */
function accepted(headers: Readonly<Record<string, string>> = {}): Response {
  return respond(204, null, headers)
}

function respond(status: number, message: string | null, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(message, { status, headers: { ...TUNNEL_HEADERS, ...headers } })
}
