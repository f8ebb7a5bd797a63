import type { DoorRequest } from "../door-request.ts"
import { isEventItem } from "../../model/kept-item.ts"
import { categoryOfItem } from "../../model/loss-names.ts"
import type { LossCategory } from "../../model/loss.ts"
import { fromMilliseconds } from "../../model/time.ts"
import { type BrokenEnvelope, type DecodedEnvelope, decodeEnvelope, decodeStoreEvent } from "../../wire/sentry/index.ts"
import type { Admission } from "../admission.ts"
import { DYNAMIC_HEADERS, refusalResponse, WholeResponse } from "../answer.ts"
import { answerPreflight, corsHeaders } from "../cors.ts"
import { countRefusal } from "../count-refusal.ts"
import { guardSender } from "../guard.ts"
import { guardKey } from "../guard-token.ts"
import { readBody } from "../read-body.ts"
import { latestTime, type RecordsContext } from "../records-context.ts"
import type { Refusal } from "../refusal.ts"
import type { EnvelopeRing } from "../spotlight/envelope-ring.ts"

export interface SentryContext extends RecordsContext {
  readonly ring: EnvelopeRing
}

/** What the body is, and what senders do with an answer: `stream` is Spotlight's door, whose senders give up for good. */
export type SentryForm = "envelope" | "store" | "stream"

/**
 * A door for Sentry's SDKs: guard, body, records, then `{ "id": … }`. The content type is not looked at, for browsers
 * send `text/plain` to spare the preflight, and others none. What is refused is counted by what it held; what the SDK
 * reports as dropped is passed on. Spotlight's door answers 200 to what it cannot read or keep, as the sidecar does: its
 * senders stop for good after some failures.
 */
export function sentryDoor(context: SentryContext, form: SentryForm): (request: DoorRequest) => Promise<Response> {
  const { policy, losses } = context
  return async (request) => {
    const preflight = answerPreflight(request, policy)
    if (preflight instanceof Response) return preflight
    const headers = corsHeaders(request, policy)
    const refuse = (refusal: Refusal) => {
      countRefusal(losses, refusal, "default")
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
  request: DoorRequest,
  form: SentryForm,
  bytes: Uint8Array,
): Promise<Taken | Refusal> {
  const { losses, desk, ring, policy, clock } = context
  const times = { receivedAt: fromMilliseconds(clock()), latest: latestTime(context) }
  const decoded = form === "store" ? decodeStoreEvent(bytes, times) : decodeEnvelope(bytes, times)
  const unauthorized = guardKey(request, policy.token, decoded.ok ? decoded.dsn : undefined)
  if (unauthorized !== undefined) return counted(context, unauthorized, [["default", 1]])
  if (!decoded.ok) return counted(context, brokenRefusal(decoded), [["default", 1]])
  if (form !== "store") ring.add(bytes, request.headers.get("user-agent") ?? "")
  const admission = await desk.admit(decoded)
  if (admission.outcome === "refused") return counted(context, refusedAdmission(admission), contents(decoded))
  if (form !== "store") context.onTaken({ envelope: bytes })
  for (const loss of decoded.losses) losses.record("door", loss)
  // Browsers name the page that a request comes from, and nothing else does.
  const stage = request.headers.get("origin") === null ? "server" : "page"
  for (const loss of decoded.reported) losses.record(stage, loss)
  return { id: decoded.eventId }
}

function counted(
  { losses }: SentryContext,
  refusal: Refusal,
  lost: readonly (readonly [LossCategory, number])[],
): Refusal {
  for (const [category, count] of lost) countRefusal(losses, refusal, category, count)
  return refusal
}

function contents({ spans, errors, logs, items }: DecodedEnvelope): [LossCategory, number][] {
  const others = items.filter((item) => !isEventItem(item))
  return [
    ["span", spans.length],
    ["error", errors.length],
    ["log_item", logs.length],
    ...others.map(({ type }): [LossCategory, number] => [categoryOfItem(type), 1]),
  ]
}

function brokenRefusal({ reason, problem }: BrokenEnvelope): Refusal {
  const message = `${problem.charAt(0).toUpperCase()}${problem.slice(1)}.`
  return { status: reason === "malformed" ? 400 : 413, reason, message }
}

/** 429 makes Sentry's SDKs hold back for the time given; what they drop meanwhile they report. */
function refusedAdmission({ reason, retryAfterSeconds }: Admission & { outcome: "refused" }): Refusal {
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
