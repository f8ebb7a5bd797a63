import { categoryOfItem, type DropCategory } from "../../../protocol/records/drop.ts"
import { isEventItem } from "../../../protocol/records/envelope-item.ts"
import { fromMilliseconds } from "../../../protocol/records/time.ts"
import { type DecodedEnvelope, decodeEnvelope, decodeStoreEvent } from "../../../protocol/sentry/decode-envelope.ts"
import type { BrokenEnvelope } from "../../../protocol/sentry/split-envelope.ts"
import { type BodyMemory, readBody, refused, type RefusedBody } from "../../../protocol/transport/read-body.ts"
import type { BodyRequest, HandlerRequest } from "../../../protocol/transport/request.ts"
import { DYNAMIC_HEADERS, type Refusal, refusalResponse, WholeResponse } from "../../../protocol/transport/responses.ts"
import { countRefusal } from "../drop-ledger.ts"
import { answerPreflight, corsHeaders, guardSender } from "../http/guards.ts"
import { guardKey } from "../http/token.ts"
import type { IngestResult } from "../ingestor.ts"
import { latestTime, type RecordsContext } from "../otlp/otlp-handlers.ts"
import type { EnvelopeRing } from "../spotlight/envelope-ring.ts"
import { senderOf, stageOf } from "../sender-of.ts"
import { authenticateEnvelope } from "./authenticate-envelope.ts"

export interface SentryContext extends RecordsContext {
  readonly ring: EnvelopeRing
  /** Memory of bodies whose sender is not known yet. */
  readonly unknownBodies: BodyMemory
}

/** The form of the body. `stream` is an envelope at Spotlight's endpoint, whose clients stop sending after failures. */
export type SentryForm = "envelope" | "store" | "stream"

/**
 * A handler for Sentry's SDKs: guard, key, body, decode, ingest, then `{ "id": … }`. It ignores the content type, because
 * browsers send `text/plain` to avoid a preflight, and other SDKs send none. Refused records are counted by category,
 * and drops in client reports are recorded. At Spotlight's endpoint a refused envelope answers 200, as the sidecar does:
 * its clients stop sending for good after some failures.
 */
export function sentryHandler(
  context: SentryContext,
  form: SentryForm,
): (request: HandlerRequest) => Promise<Response> {
  const { policy, drops } = context
  return async (request) => {
    const preflight = answerPreflight(request, policy)
    if (preflight instanceof Response) return preflight
    const headers = corsHeaders(request, policy)
    const refuse = (refusal: Refusal) => {
      countRefusal(drops, refusal, "default", 1, senderOf(request))
      return refusalResponse(refusal, "json", headers)
    }
    const refusal = preflight ?? guardSender(request, policy)
    if (refusal !== undefined) return refuse(refusal)
    try {
      const known = await authenticate(context, request, form)
      if (!known.ok) return refuse(known.refusal)
      const body = await readBody(known.request, { memory: context.bodies, deadlineMs: context.bodyDeadlineMs })
      if (!body.ok) return refuse(body.refusal)
      const outcome = await ingestBody(context, request, form, body.bytes)
      return "status" in outcome ? answerRefused(outcome, form, headers) : accepted(outcome.id, headers)
    } catch {
      // A bug. Its message may quote the request, so only the count reports it.
      return refuse({
        status: 500,
        reason: "internal_sdk_error",
        message: "Internal error: the request was not ingested.",
      })
    }
  }
}

/** Checks the key before the body is read. Some SDKs and relays send it in the header line of an envelope only. */
async function authenticate(
  { policy, unknownBodies }: SentryContext,
  request: HandlerRequest,
  form: SentryForm,
): Promise<{ readonly ok: true; readonly request: BodyRequest } | RefusedBody> {
  const unauthorized = guardKey(request, policy.token, undefined)
  if (unauthorized === undefined) return { ok: true, request }
  if (form === "store") return refused(unauthorized)
  return authenticateEnvelope(request, {
    memory: unknownBodies,
    guard: (dsn) => guardKey(request, policy.token, dsn),
  })
}

interface Accepted {
  readonly id: string | undefined
}

/** Counts the refusals that it returns. */
async function ingestBody(
  context: SentryContext,
  request: HandlerRequest,
  form: SentryForm,
  bytes: Uint8Array,
): Promise<Accepted | Refusal> {
  const { drops, ingestor, ring, clock } = context
  const sender = senderOf(request)
  const times = { receivedAt: fromMilliseconds(clock()), latest: latestTime(context) }
  const decoded = form === "store" ? decodeStoreEvent(bytes, times) : decodeEnvelope(bytes, times)
  if (!decoded.ok) return counted(context, brokenRefusal(decoded), [["default", 1]], sender)
  if (form !== "store") ring.add(bytes, request.headers.get("user-agent") ?? "")
  const result = await ingestor.ingest(decoded)
  if (result.outcome === "refused") return counted(context, refusedIngest(result), contents(decoded), sender)
  context.onStored?.({ envelope: form === "store" ? envelopeOfEvent(bytes, decoded) : bytes })
  for (const drop of [...decoded.drops, ...result.drops]) drops.record("ingest", drop, sender)
  const stage = stageOf(request, sender)
  for (const drop of decoded.reported) drops.report(stage, drop, sender)
  return { id: decoded.eventId }
}

/** An old SDK sends an event alone. An ingest endpoint gets envelopes. */
function envelopeOfEvent(event: Uint8Array, { eventId, spans }: DecodedEnvelope): Uint8Array {
  const item = { type: spans.length > 0 ? "transaction" : "event", length: event.length }
  return Buffer.concat([Buffer.from(`${JSON.stringify({ event_id: eventId })}\n${JSON.stringify(item)}\n`), event])
}

function counted(
  { drops }: SentryContext,
  refusal: Refusal,
  dropped: readonly (readonly [DropCategory, number])[],
  sender: string,
): Refusal {
  for (const [category, count] of dropped) countRefusal(drops, refusal, category, count, sender)
  return refusal
}

function contents({ spans, errors, logs, items }: DecodedEnvelope): [DropCategory, number][] {
  const others = items.filter((item) => !isEventItem(item))
  return [
    ["span", spans.length],
    ["error", errors.length],
    ["log_item", logs.length],
    ...others.map(({ type }): [DropCategory, number] => [categoryOfItem(type), 1]),
  ]
}

function brokenRefusal({ reason, problem }: BrokenEnvelope): Refusal {
  const message = `${problem.charAt(0).toUpperCase()}${problem.slice(1)}.`
  return { status: reason === "malformed" ? 400 : 413, reason, message }
}

/** After 429, Sentry's SDKs pause for the time given and report what they drop meanwhile. */
function refusedIngest({ reason, retryAfterSeconds }: IngestResult & { outcome: "refused" }): Refusal {
  if (retryAfterSeconds === undefined)
    return {
      status: 413,
      reason,
      message: "Payload too large: the records of the envelope exceed the limit of one request.",
    }
  const status = reason === "queue_overflow" ? 429 : 503
  return { status, reason, message: "Records cannot be ingested now. Retry later.", retryAfterSeconds }
}

function answerRefused(refusal: Refusal, form: SentryForm, headers: Readonly<Record<string, string>>): Response {
  const isForSpotlight = form === "stream" && refusal.status !== 401
  return isForSpotlight ? accepted(undefined, headers) : refusalResponse(refusal, "json", headers)
}

function accepted(id: string | undefined, headers: Readonly<Record<string, string>>): Response {
  const all = { ...DYNAMIC_HEADERS, "content-type": "application/json", ...headers }
  return new WholeResponse(JSON.stringify({ id }), all)
}
