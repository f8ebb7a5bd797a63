import { OTLP_MEDIA_TYPES, type OtlpEncoding, type Undecodable } from "../../../protocol/otlp/message.ts"
import { encodeResponse, type OtlpSignal, type PartialSuccess } from "../../../protocol/otlp/responses.ts"
import type { DropCategory } from "../../../protocol/records/drop.ts"
import { type BodyMemory, readBody } from "../../../protocol/transport/read-body.ts"
import { type HandlerRequest, otlpEncoding, unsupportedMediaType } from "../../../protocol/transport/request.ts"
import { DYNAMIC_HEADERS, type Refusal, refusalResponse, WholeResponse } from "../../../protocol/transport/responses.ts"
import type { DropLedger } from "../drop-ledger.ts"
import { type GuardPolicy, guardWrite } from "../http/guards.ts"
import { answerPreflight, corsHeaders } from "../http/origin.ts"
import { countRefusal } from "../http/refusals.ts"

export interface HandlerContext {
  readonly policy: GuardPolicy
  readonly bodies: BodyMemory
  readonly bodyDeadlineMs?: number | undefined
  readonly drops: DropLedger
  /** Who may write. Default: `guardWrite`. */
  readonly guard?: (request: HandlerRequest, policy: GuardPolicy) => Refusal | undefined
}

/** What the records of a request came to. */
export type Handled =
  | { readonly ok: true; readonly partial: PartialSuccess | undefined }
  /** `droppedCount`: how many records the refusal costs, where that is known. */
  | { readonly ok: false; readonly refusal: Refusal; readonly droppedCount?: number }

/** What a request that is refused unread counts as. */
export const DROPPED_AS = { traces: "span", logs: "log_item", metrics: "metric" } as const satisfies Record<
  OtlpSignal,
  DropCategory
>

/**
 * A handler of OTLP/HTTP: guard, media type, body, then the signal's own handling, then an answer in the encoding of the
 * request. Every refusal is counted. A failure that nobody foresaw answers 500 without saying more, and is counted too.
 *
 * @see https://opentelemetry.io/docs/specs/otlp/#otlphttp
 */
export function otlpHandler(
  context: HandlerContext,
  signal: OtlpSignal,
  handle: (body: Uint8Array, encoding: OtlpEncoding) => Promise<Handled> | Handled,
): (request: HandlerRequest) => Promise<Response> {
  const { policy, drops, guard = guardWrite } = context
  return async (request) => {
    const preflight = answerPreflight(request, policy)
    if (preflight instanceof Response) return preflight
    const encoding = otlpEncoding(request)
    const headers = corsHeaders(request, policy)
    const refuse = (refusal: Refusal, droppedCount?: number) => {
      countRefusal(drops, refusal, DROPPED_AS[signal], droppedCount)
      return refusalResponse(refusal, encoding, headers)
    }
    const refusal = preflight ?? guard(request, policy)
    if (refusal !== undefined) return refuse(refusal)
    if (encoding === undefined) return refuse(unsupportedMediaType(request))
    try {
      const body = await readBody(request, { memory: context.bodies, deadlineMs: context.bodyDeadlineMs })
      if (!body.ok) return refuse(body.refusal)
      const handled = await handle(body.bytes, encoding)
      if (!handled.ok) return refuse(handled.refusal, handled.droppedCount)
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
  return { ok: false, refusal: { status: reason === "malformed" ? 400 : 413, reason, message }, droppedCount: count }
}
