import { categoryOfItem, type DropCategory } from "../../../protocol/records/drop.ts"
import { isEventItem } from "../../../protocol/records/envelope-item.ts"
import { fromMilliseconds } from "../../../protocol/records/time.ts"
import { type DecodedEnvelope, decodeEnvelope, decodeStoreEvent } from "../../../protocol/sentry/decode-envelope.ts"
import type { BrokenEnvelope } from "../../../protocol/sentry/split-envelope.ts"
import { readBody } from "../../../protocol/transport/read-body.ts"
import type { HandlerRequest } from "../../../protocol/transport/request.ts"
import { DYNAMIC_HEADERS, type Refusal, refusalResponse, WholeResponse } from "../../../protocol/transport/responses.ts"
import { answerPreflight, corsHeaders, guardSender } from "../http/guards.ts"
import { countRefusal } from "../drop-ledger.ts"
import { guardKey } from "../http/token.ts"
import type { IngestResult } from "../ingestor.ts"
import { latestTime, type RecordsContext } from "../otlp/otlp-handlers.ts"
import type { EnvelopeRing } from "../spotlight/envelope-ring.ts"

export interface SentryContext extends RecordsContext {
  readonly ring: EnvelopeRing
}

/** What the body is, and what senders do with an answer: `stream` is Spotlight's handler, whose senders give up for good. */
export type SentryForm = "envelope" | "store" | "stream"

/**
 * A handler for Sentry's SDKs: guard, body, records, then `{ "id": … }`. The content type is not looked at, for browsers
 * send `text/plain` to spare the preflight, and others none. What is refused is counted by what it held; what the SDK
 * reports as dropped is passed on. Spotlight's handler answers 200 to what it cannot read or keep, as the sidecar does: its
 * senders stop for good after some failures.
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
      countRefusal(drops, refusal, "default")
      return refusalResponse(refusal, "json", headers)
    }
    const refusal = preflight ?? guardSender(request, policy)
    if (refusal !== undefined) return refuse(refusal)
    try {
      const body = await readBody(request, { memory: context.bodies, deadlineMs: context.bodyDeadlineMs })
      if (!body.ok) return refuse(body.refusal)
      const outcome = await takeBody(context, request, form, body.bytes)
      return "status" in outcome ? answerRefused(outcome, form, headers) : accepted(outcome.id, headers)
    } catch {
      // A bug of ours. Its message may quote what was sent, so it goes nowhere; the count says that it happened.
      return refuse({ status: 500, reason: "internal_sdk_error", message: "The request could not be handled." })
    }
  }
}

interface Taken {
  readonly id: string | undefined
}

/** A refusal that comes back from here has been counted. */
async function takeBody(
  context: SentryContext,
  request: HandlerRequest,
  form: SentryForm,
  bytes: Uint8Array,
): Promise<Taken | Refusal> {
  const { drops, ingestor, ring, policy, clock } = context
  const times = { receivedAt: fromMilliseconds(clock()), latest: latestTime(context) }
  const decoded = form === "store" ? decodeStoreEvent(bytes, times) : decodeEnvelope(bytes, times)
  const unauthorized = guardKey(request, policy.token, decoded.ok ? decoded.dsn : undefined)
  if (unauthorized !== undefined) return counted(context, unauthorized, [["default", 1]])
  if (!decoded.ok) return counted(context, brokenRefusal(decoded), [["default", 1]])
  if (form !== "store") ring.add(bytes, request.headers.get("user-agent") ?? "")
  const result = await ingestor.ingest(decoded)
  if (result.outcome === "refused") return counted(context, refusedAdmission(result), contents(decoded))
  if (form !== "store") context.onStored({ envelope: bytes })
  for (const drop of decoded.drops) drops.record("handler", drop)
  // Browsers name the page that a request comes from, and nothing else does.
  const stage = request.headers.get("origin") === null ? "server" : "page"
  for (const drop of decoded.reported) drops.record(stage, drop)
  return { id: decoded.eventId }
}

function counted(
  { drops }: SentryContext,
  refusal: Refusal,
  lost: readonly (readonly [DropCategory, number])[],
): Refusal {
  for (const [category, count] of lost) countRefusal(drops, refusal, category, count)
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

/** 429 makes Sentry's SDKs hold back for the time given; what they drop meanwhile they report. */
function refusedAdmission({ reason, retryAfterSeconds }: IngestResult & { outcome: "refused" }): Refusal {
  if (retryAfterSeconds === undefined) return { status: 413, reason, message: "The envelope holds too many records." }
  const status = reason === "queue_overflow" ? 429 : 503
  return { status, reason, message: "Records cannot be taken now. Send again later.", retryAfterSeconds }
}

function answerRefused(refusal: Refusal, form: SentryForm, headers: Readonly<Record<string, string>>): Response {
  const isForSpotlight = form === "stream" && refusal.status !== 401
  return isForSpotlight ? accepted(undefined, headers) : refusalResponse(refusal, "json", headers)
}

function accepted(id: string | undefined, headers: Readonly<Record<string, string>>): Response {
  const all = { ...DYNAMIC_HEADERS, "content-type": "application/json", ...headers }
  return new WholeResponse(JSON.stringify({ id }), all)
}
