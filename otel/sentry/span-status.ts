import { type Attributes, type SpanStatus, SpanStatusCode } from "@opentelemetry/api"
import { httpStatusCode } from "./http-status-code.ts"

const BY_HTTP_CODE: ReadonlyMap<number, string> = new Map([
  [400, "invalid_argument"],
  [401, "unauthenticated"],
  [403, "permission_denied"],
  [404, "not_found"],
  [409, "already_exists"],
  [413, "failed_precondition"],
  [429, "resource_exhausted"],
  [499, "cancelled"],
  [501, "unimplemented"],
  [503, "unavailable"],
  [504, "deadline_exceeded"],
])

/** By the code of gRPC, from 1 on. */
const BY_GRPC_CODE: readonly string[] = [
  "cancelled",
  "unknown_error",
  "invalid_argument",
  "deadline_exceeded",
  "not_found",
  "already_exists",
  "permission_denied",
  "resource_exhausted",
  "failed_precondition",
  "aborted",
  "out_of_range",
  "unimplemented",
  "internal_error",
  "unavailable",
  "data_loss",
  "unauthenticated",
]

/**
 * Sentry's status word of a span: what the HTTP or gRPC code says, else what the span's own status says, by its message
 * where that is such a word.
 *
 * @see https://develop.sentry.dev/sdk/data-model/event-payloads/contexts/#trace-context
 */
export function spanStatus(status: SpanStatus, attributes: Attributes): string {
  const code = httpStatusCode(attributes)
  if (code !== undefined && code >= 400) return wordOfHttpCode(code)
  const ofCall = BY_GRPC_CODE[Number(attributes["rpc.grpc.status_code"] ?? 0) - 1]
  if (ofCall !== undefined) return ofCall
  if (status.code !== SpanStatusCode.ERROR) return "ok"
  return BY_GRPC_CODE.find((word) => word === status.message) ?? "internal_error"
}

function wordOfHttpCode(code: number): string {
  return BY_HTTP_CODE.get(code) ?? (code < 500 ? "invalid_argument" : "internal_error")
}
