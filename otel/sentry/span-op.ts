import { type Attributes, SpanKind } from "@opentelemetry/api"
import { isProxyRun } from "./proxy-run.ts"

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
