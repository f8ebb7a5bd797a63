import { OTLP_MEDIA_TYPES, type OtlpEncoding } from "../otlp/message.ts"
import { encodeStatus } from "../otlp/responses.ts"
import type { DropReason } from "../records/drop.ts"

/** Why a request or its records are refused. The response and the drop are made of it. */
export interface Refusal {
  /** HTTP status. OTLP clients retry after 429 and 503; Sentry's SDKs pause after 429. */
  readonly status: 400 | 401 | 403 | 404 | 405 | 408 | 413 | 415 | 421 | 429 | 500 | 503
  readonly reason: DropReason
  /** For the user who configured the client. Contains nothing of the body, no path and no version. */
  readonly message: string
  /** Sample of the drop, where the message alone does not say what to change. */
  readonly sample?: string
  /** Headers that the status requires, such as `Allow`. */
  readonly headers?: Readonly<Record<string, string>>
  readonly retryAfterSeconds?: number
}

/** Untrusted text for a message: printable ASCII, at most 100 characters, quoted. */
export function quoteForMessage(text: string): string {
  const printable = text.replaceAll(/[^\u0020-\u007e]/g, "?")
  return JSON.stringify(printable.length > 100 ? `${printable.slice(0, 100)}…` : printable)
}

/** On every dynamic response: not cached, and no content sniffing. */
export const DYNAMIC_HEADERS = { "cache-control": "no-store", "x-content-type-options": "nosniff" } as const

/** On every stream of server-sent events. By default nginx may send nothing until a buffer of 4 or 8 kB is full. */
export const EVENT_STREAM_HEADERS = {
  ...DYNAMIC_HEADERS,
  "content-type": "text/event-stream; charset=utf-8",
  "x-accel-buffering": "no",
} as const

/** `google.rpc.Code` for each status of a refusal. */
const RPC_CODES: Record<Refusal["status"], number> = {
  400: 3,
  401: 16,
  403: 7,
  404: 12,
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

/** A response whose body is in memory, so that the server can send head and body in one write. */
export class WholeResponse extends Response {
  constructor(
    readonly whole: string | Uint8Array,
    readonly wholeHeaders: Readonly<Record<string, string>>,
    status = 200,
  ) {
    super(whole as string | Uint8Array<ArrayBuffer>, { status, headers: wholeHeaders })
  }
}

/** An error response: a `google.rpc.Status` in the request's encoding, JSON where that is unknown. */
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
