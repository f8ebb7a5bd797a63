import type { Attributes } from "../model/attributes.ts"
import type { ErrorEvent } from "../model/error-event.ts"
import type { SpanId, TraceId } from "../model/ids.ts"
import { type Resource, serviceName, type SpanRecord, type SpanSource } from "../model/span.ts"
import type { Nanoseconds } from "../model/time.ts"
import { groupError } from "./fingerprint.ts"
import { recordId } from "./record-id.ts"
import { readStackText } from "./stack-text.ts"

/**
 * Exceptions as OpenTelemetry's semantic conventions tell them: attributes `exception.*` of a span event or of a log.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/exceptions/
 */

export interface ToldException {
  readonly attributes: Attributes
  readonly time: Nanoseconds
  readonly traceId: TraceId | undefined
  readonly spanId: SpanId | undefined
  readonly resource: Resource
  readonly level: ErrorEvent["level"]
  readonly transaction: string
  readonly source: SpanSource
}

/** `undefined` where the attributes tell of no exception. */
export function readException(told: ToldException): ErrorEvent | undefined {
  const { attributes, time, traceId, spanId, resource } = told
  const type = textOf(attributes, "exception.type")
  const value = textOf(attributes, "exception.message")
  if (type === "" && value === "") return undefined
  const stackText = textOf(attributes, "exception.stacktrace")
  const exceptions = [{ type, value, mechanism: mechanismOf(attributes), frames: readStackText(stackText), stackText }]
  return {
    eventId: recordId(traceId ?? "", spanId ?? "", String(time), type, value),
    ...groupError({ type, value, exceptions }),
    time,
    traceId,
    spanId,
    level: told.level,
    type,
    value,
    exceptions,
    transaction: told.transaction,
    service: serviceName(resource),
    environment:
      textOf(resource.attributes, "deployment.environment.name") ||
      textOf(resource.attributes, "deployment.environment"),
    release: textOf(resource.attributes, "service.version"),
    tags: new Map([...attributes].filter(([key]) => !key.startsWith("exception."))),
    breadcrumbs: "",
    request: "",
    context: "",
    source: told.source,
  }
}

/** The exceptions that these spans recorded as events. */
export function errorsOfSpans(spans: readonly SpanRecord[]): ErrorEvent[] {
  return spans.flatMap((span) =>
    span.events.flatMap(({ name, time, attributes }) => {
      if (name !== "exception") return []
      const { traceId, spanId, resource, source } = span
      const transaction = textOf(span.attributes, "http.route") || span.name
      const error = readException({ attributes, time, traceId, spanId, resource, level: "error", transaction, source })
      return error === undefined ? [] : [error]
    }),
  )
}

function mechanismOf(attributes: Attributes): ErrorEvent["exceptions"][number]["mechanism"] {
  const escaped = attributes.get("exception.escaped")
  return typeof escaped === "boolean" ? { type: "otel", handled: !escaped } : undefined
}

function textOf(attributes: Attributes, name: string): string {
  const value = attributes.get(name)
  return typeof value === "string" ? value : ""
}
