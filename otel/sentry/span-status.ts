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

/**
 * Sentry's status word of a span: what the HTTP code says, else what the span's own status says.
 *
 * @see https://develop.sentry.dev/sdk/data-model/event-payloads/contexts/#trace-context
 */
export function spanStatus(status: SpanStatus, attributes: Attributes): string {
  const code = httpStatusCode(attributes)
  if (code !== undefined && code >= 400) return wordOfHttpCode(code)
  if (status.code === SpanStatusCode.ERROR) return "internal_error"
  return "ok"
}

function wordOfHttpCode(code: number): string {
  return BY_HTTP_CODE.get(code) ?? (code < 500 ? "invalid_argument" : "internal_error")
}
