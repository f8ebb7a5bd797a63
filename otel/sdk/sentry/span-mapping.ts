import { type Attributes, SpanKind, type SpanStatus, SpanStatusCode } from "@opentelemetry/api"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { isProxyRun } from "../routes/request-span.ts"
import { httpStatusCode } from "./span-facts.ts"
import type { ChildSpan } from "./transaction-payload.ts"

/** A span's operation and status in Sentry's vocabulary. */
export interface SpanMapping {
  op(span: ReadableSpan): string | undefined
  status(span: ReadableSpan): string
}

/** The mapping from semantic conventions, for spans of any instrumentation. */
export const semconvMapping: SpanMapping = {
  op: ({ attributes, kind }) => spanOp(attributes, kind),
  status: ({ status, attributes }) => spanStatus(status, attributes),
}

/**
 * Sentry's `op` of a span, from stable and deprecated semantic conventions.
 *
 * @see https://develop.sentry.dev/sdk/telemetry/traces/span-operations/
 */
export function spanOp(attributes: Attributes, kind: SpanKind): string | undefined {
  const given = attributes["sentry.op"]
  if (typeof given === "string") return given
  if (attributes["next.span_type"] === "Middleware.execute" || isProxyRun(attributes)) return "http.server.middleware"
  if (attributes["http.request.method"] ?? attributes["http.method"]) return withDirection("http", kind)
  if (attributes["db.system.name"] ?? attributes["db.system"]) return "db"
  if (attributes["gen_ai.provider.name"] ?? attributes["gen_ai.system"]) return "gen_ai"
  if (attributes["rpc.system.name"] ?? attributes["rpc.system"]) return withDirection("rpc", kind)
  if (attributes["messaging.system"]) return messagingOp(kind)
  if (attributes["faas.trigger"]) return String(attributes["faas.trigger"])
  return attributes["next.span_type"] === undefined ? undefined : "function.nextjs"
}

function withDirection(system: string, kind: SpanKind): string {
  if (kind === SpanKind.CLIENT) return `${system}.client`
  return kind === SpanKind.SERVER ? `${system}.server` : system
}

function messagingOp(kind: SpanKind): string {
  if (kind === SpanKind.PRODUCER) return "queue.publish"
  return kind === SpanKind.CONSUMER ? "queue.process" : "message"
}

/** Others are an invalid argument below 500, and an internal error from there on. */
const BY_HTTP_CODE: ReadonlyMap<number, string> = new Map([
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

/** By gRPC status code, starting with 1. */
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
  "data_drop",
  "unauthenticated",
]

/**
 * Sentry's status of a span: from the HTTP or gRPC status code, otherwise from the span's status, whose message may be one
 * of Sentry's status words.
 *
 * @see https://develop.sentry.dev/sdk/data-model/event-payloads/contexts/#trace-context
 */
export function spanStatus(status: SpanStatus, attributes: Attributes): string {
  const code = httpStatusCode(attributes)
  if (code !== undefined && code >= 400) return statusOfHttpCode(code)
  const grpcStatus = BY_GRPC_CODE[Number(attributes["rpc.grpc.status_code"] ?? 0) - 1]
  if (grpcStatus !== undefined) return grpcStatus
  if (status.code !== SpanStatusCode.ERROR) return "ok"
  return BY_GRPC_CODE.find((word) => word === status.message) ?? "internal_error"
}

function statusOfHttpCode(code: number): string {
  return BY_HTTP_CODE.get(code) ?? (code < 500 ? "invalid_argument" : "internal_error")
}

/** Attribute for the name of a span whose description differs from it, as in Relay. */
const SPAN_NAME = "sentry.name"

/**
 * Gives a child of a transaction the description that Relay derives for streamed spans: method and URL of a request, text of
 * a database query. Sentry's views of requests and queries group by it. A span with a `sentry.origin` keeps its name, because
 * its instrumentation chose the name for Sentry.
 *
 * @param child a span with sanitized attributes under their stable names.
 * @see https://github.com/getsentry/relay/tree/master/relay-spans
 */
export function withDescription(child: ChildSpan): ChildSpan {
  const { data, description: name, op } = child
  const derived = data["sentry.origin"] === undefined ? (requestText(data, op) ?? queryText(data, op)) : undefined
  const description = textOf(data, "sentry.description") ?? derived ?? name
  return description === name ? child : { ...child, description, data: { ...data, [SPAN_NAME]: name } }
}

function requestText(data: Attributes, op: string | undefined): string | undefined {
  const method = textOf(data, "http.request.method")
  const address = op === "http.client" ? textOf(data, "url.full") : op === "http.server" ? servedPath(data) : undefined
  return method === undefined || address === undefined ? undefined : `${method} ${address}`
}

function servedPath(data: Attributes): string | undefined {
  return textOf(data, "http.route") ?? textOf(data, "url.path")
}

/** Cache spans have database attributes, but their keys are no queries. */
function queryText(data: Attributes, op = ""): string | undefined {
  return op.startsWith("cache.") || data["db.system.name"] === undefined ? undefined : textOf(data, "db.query.text")
}

function textOf(attributes: Attributes, name: string): string | undefined {
  const value = attributes[name]
  return typeof value === "string" && value !== "" ? value : undefined
}
