import type { DoorRequest } from "./door-request.ts"
import type { LossCategory } from "../model/loss.ts"
import {
  encodeResponse,
  OTLP_MEDIA_TYPES,
  type OtlpEncoding,
  type OtlpSignal,
  type PartialSuccess,
  type Undecodable,
} from "../wire/otlp/index.ts"
import { DYNAMIC_HEADERS, refusalResponse, WholeResponse } from "./answer.ts"
import type { BodyMemory } from "./body-memory.ts"
import { answerPreflight, corsHeaders } from "./cors.ts"
import { countRefusal } from "./count-refusal.ts"
import { type GuardPolicy, guardWrite } from "./guard.ts"
import type { LossLedger } from "./loss-ledger.ts"
import { otlpEncoding, unsupportedMediaType } from "./media-type.ts"
import { readBody } from "./read-body.ts"
import type { Refusal } from "./refusal.ts"

export interface DoorContext {
  readonly policy: GuardPolicy
  readonly bodies: BodyMemory
  readonly bodyDeadlineMs?: number | undefined
  readonly losses: LossLedger
  /** Who may write. Default: `guardWrite`. */
  readonly guard?: (request: DoorRequest, policy: GuardPolicy) => Refusal | undefined
}

/** What the records of a request came to. */
export type Handled =
  | { readonly ok: true; readonly partial: PartialSuccess | undefined }
  /** `lostCount`: how many records the refusal costs, where that is known. */
  | { readonly ok: false; readonly refusal: Refusal; readonly lostCount?: number }

/** What a request that is refused unread counts as. */
export const LOST_AS = { traces: "span", logs: "log_item", metrics: "metric" } as const satisfies Record<
  OtlpSignal,
  LossCategory
>

/**
 * A door of OTLP/HTTP: guard, media type, body, then the signal's own handling, then an answer in the encoding of the
 * request. Every refusal is counted. A failure that nobody foresaw answers 500 without saying more, and is counted too.
 *
 * @see https://opentelemetry.io/docs/specs/otlp/#otlphttp
 */
export function otlpDoor(
  context: DoorContext,
  signal: OtlpSignal,
  handle: (body: Uint8Array, encoding: OtlpEncoding) => Promise<Handled> | Handled,
): (request: DoorRequest) => Promise<Response> {
  const { policy, losses, guard = guardWrite } = context
  return async (request) => {
    const preflight = answerPreflight(request, policy)
    if (preflight instanceof Response) return preflight
    const encoding = otlpEncoding(request)
    const headers = corsHeaders(request, policy)
    const refuse = (refusal: Refusal, lostCount?: number) => {
      countRefusal(losses, refusal, LOST_AS[signal], lostCount)
      return refusalResponse(refusal, encoding, headers)
    }
    const refusal = preflight ?? guard(request, policy)
    if (refusal !== undefined) return refuse(refusal)
    if (encoding === undefined) return refuse(unsupportedMediaType(request))
    try {
      const body = await readBody(request, { memory: context.bodies, deadlineMs: context.bodyDeadlineMs })
      if (!body.ok) return refuse(body.refusal)
      const handled = await handle(body.bytes, encoding)
      if (!handled.ok) return refuse(handled.refusal, handled.lostCount)
      return success(signal, encoding, handled.partial, headers)
    } catch {
      // A bug of ours. Its message may quote what was sent, so it goes nowhere; the count says that it happened.
      return refuse(UNFORESEEN)
    }
  }
}

const UNFORESEEN: Refusal = { status: 500, reason: "internal_sdk_error", message: "The request could not be handled." }

function success(
  signal: OtlpSignal,
  encoding: OtlpEncoding,
  partial: PartialSuccess | undefined,
  headers: Readonly<Record<string, string>>,
): Response {
  const all = { ...DYNAMIC_HEADERS, "content-type": OTLP_MEDIA_TYPES[encoding], ...headers }
  return new WholeResponse(encodeResponse(signal, encoding, partial), all)
}

/** 400 for what cannot be read, 413 for what would be too much; neither is ever sent again. */
export function refuseUndecodable({ reason, problem, count = 1 }: Undecodable): Handled {
  const message = `${problem.charAt(0).toUpperCase()}${problem.slice(1)}.`
  return { ok: false, refusal: { status: reason === "malformed" ? 400 : 413, reason, message }, lostCount: count }
}
