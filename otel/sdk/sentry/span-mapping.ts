import { type Attributes, SpanKind, type SpanStatus, SpanStatusCode } from "@opentelemetry/api"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { isProxyRun } from "./open-roots.ts"
import { httpStatusCode } from "./span-facts.ts"
import type { ChildSpan } from "./transaction.ts"

/** What a span is and how it went, in Sentry's words. */
export interface SpanMapping {
  op(span: ReadableSpan): string | undefined
  status(span: ReadableSpan): string
}

/** Read from semantic conventions, whoever made the span. */
export const semconvMapping: SpanMapping = {
  op: ({ attributes, kind }) => spanOp(attributes, kind),
  status: ({ status, attributes }) => spanStatus(status, attributes),
}

/**
 * Sentry's `op` of a span, from semantic conventions old and new.
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
  "data_drop",
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

/** Attribute that keeps a span's own name where its description is another, as in Relay. */
const SPAN_NAME = "sentry.name"

/**
 * A child as a transaction of Sentry's shows it, as Relay has it: a request by method and address, a query by its text, by
 * which Sentry's own views of requests and queries group them. Of a stream Relay makes these itself. Who says a span's origin
 * knows Sentry, and has named it for Sentry: our own in a page are named by routes.
 *
 * @param child with attributes that are cleaned and under their stable names.
 * @see https://github.com/getsentry/relay/tree/master/relay-spans
 */
export function described(child: ChildSpan): ChildSpan {
  const { data, description: name, op } = child
  const derived = data["sentry.origin"] === undefined ? (requestText(data, op) ?? queryText(data, op)) : undefined
  const description = textOf(data, "sentry.description") ?? derived ?? name
  return description === name ? child : { ...child, description, data: { ...data, [SPAN_NAME]: name } }
}

function requestText(data: Attributes, op: string | undefined): string | undefined {
  const method = textOf(data, "http.request.method")
  const address = op === "http.client" ? textOf(data, "url.full") : op === "http.server" ? answeredAt(data) : undefined
  return method === undefined || address === undefined ? undefined : `${method} ${address}`
}

function answeredAt(data: Attributes): string | undefined {
  return textOf(data, "http.route") ?? textOf(data, "url.path")
}

/** A cache speaks like a database, but its keys are nobody's queries. */
function queryText(data: Attributes, op = ""): string | undefined {
  return op.startsWith("cache.") || data["db.system.name"] === undefined ? undefined : textOf(data, "db.query.text")
}

function textOf(attributes: Attributes, name: string): string | undefined {
  const value = attributes[name]
  return typeof value === "string" && value !== "" ? value : undefined
}
