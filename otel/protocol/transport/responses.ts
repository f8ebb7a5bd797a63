import { OTLP_MEDIA_TYPES, type OtlpEncoding } from "../otlp/message.ts"
import { encodeStatus } from "../otlp/responses.ts"
import type { DropReason } from "../records/drop.ts"

/** Why a request or its records are not taken: one value for the answer, the drop and the log. */
export interface Refusal {
  /** HTTP status. Clients of OTLP send again after 429 and 503 only; those of Sentry hold back after 429. */
  readonly status: 400 | 401 | 403 | 405 | 408 | 413 | 415 | 421 | 429 | 500 | 503
  readonly reason: DropReason
  /** For whoever configured the client. Holds nothing of the request's body, no path and no version. */
  readonly message: string
  /** What the drops page shows as example, where the message alone would not tell what to change. */
  readonly sample?: string
  /** Headers that the status asks for, such as `Allow`. */
  readonly headers?: Readonly<Record<string, string>>
  readonly retryAfterSeconds?: number
}

/** Text from outside as it may stand in a message: printable, and short. */
export function quoteForMessage(text: string): string {
  const printable = text.replaceAll(/[^\u0020-\u007e]/g, "?")
  return JSON.stringify(printable.length > 100 ? `${printable.slice(0, 100)}…` : printable)
}

/** On everything that is made for one request: no cache may keep it, and no browser may take it for something else. */
export const DYNAMIC_HEADERS = { "cache-control": "no-store", "x-content-type-options": "nosniff" } as const

/** `google.rpc.Code` for each status that we answer with. */
const RPC_CODES: Record<Refusal["status"], number> = {
  400: 3,
  401: 16,
  403: 7,
  405: 12,
  408: 4,
  413: 8,
  415: 3,
  421: 7,
  429: 8,
  500: 13,
  503: 14,
}

export function rpcCode(status: Refusal["status"]): number {
  return RPC_CODES[status]
}

/** An answer whose body is known as a whole, and so can be sent at once by who knows that it is one. */
export class WholeResponse extends Response {
  constructor(
    readonly whole: string | Uint8Array,
    readonly wholeHeaders: Readonly<Record<string, string>>,
    status = 200,
  ) {
    super(whole as string | Uint8Array<ArrayBuffer>, { status, headers: wholeHeaders })
  }
}

/** An error answer: a `google.rpc.Status` in the request's own encoding, JSON where that is unknown. */
export function refusalResponse(
  refusal: Refusal,
  encoding: OtlpEncoding = "json",
  headers: Readonly<Record<string, string>> = {},
): Response {
  const { status, message, retryAfterSeconds } = refusal
  const all = {
    ...DYNAMIC_HEADERS,
    "content-type": OTLP_MEDIA_TYPES[encoding],
    ...headers,
    ...refusal.headers,
    ...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
  }
  return new WholeResponse(encodeStatus(encoding, { code: RPC_CODES[status], message }), all, status)
}
