import type { Attributes } from "./attributes.ts"
import type { ErrorEvent, ExceptionRecord, StackFrame } from "./error.ts"
import { namedByText } from "./exception-type.ts"
import { recordId, type SpanId, type TraceId } from "./ids.ts"
import { type Resource, serviceName, type SpanRecord, type SpanSource } from "./span.ts"
import { readStackChain } from "./stack-text.ts"
import type { Nanoseconds } from "./time.ts"

/**
 * Errors from OpenTelemetry's exception attributes: `exception.*` of a span event, of a log record, or of a span that failed.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/exceptions/
 */

export interface ExceptionSource {
  readonly attributes: Attributes
  readonly time: Nanoseconds
  readonly traceId: TraceId | undefined
  readonly spanId: SpanId | undefined
  readonly resource: Resource
  readonly level: ErrorEvent["level"]
  readonly transaction: string
  readonly source: SpanSource
  /** The id of the log record with the exception. Without a span, only it distinguishes equal exceptions of one time. */
  readonly logId?: string
}

/** `undefined` if the attributes hold no exception. */
export function readException(from: ExceptionSource): ErrorEvent | undefined {
  const { attributes, time, traceId, spanId, resource } = from
  const givenType = textOf(attributes, "exception.type")
  const message = textOf(attributes, "exception.message")
  if (givenType === "" && message === "") return undefined
  const stackText = textOf(attributes, "exception.stacktrace")
  const { type, value } = givenType === "" ? namedByText(message, stackText) : { type: givenType, value: message }
  const [stack, ...causes] = readStackChain(stackText)
  const exceptions = [
    { ...stack, type, value, mechanism: mechanismOf(attributes) },
    ...causes.map((cause) => ({ ...cause, mechanism: undefined })),
  ]
  return {
    eventId: recordId(traceId ?? "", spanId ?? from.logId ?? "", String(time), type, value),
    ...groupError({ type, value, exceptions }),
    time,
    traceId,
    spanId,
    level: from.level,
    type,
    value,
    exceptions,
    transaction: from.transaction,
    service: serviceName(resource),
    environment:
      textOf(resource.attributes, "deployment.environment.name") ||
      textOf(resource.attributes, "deployment.environment"),
    release: textOf(resource.attributes, "service.version"),
    tags: new Map([...attributes].filter(([key]) => !key.startsWith("exception."))),
    breadcrumbs: "",
    request: "",
    context: "",
    source: from.source,
  }
}

/** Spans above one with an exception that are looked at. Past it, as in a circle of parents, an error counts by itself. */
export const LAYER_LIMIT = 32

/** An exception event, and what it has in common with its repetitions on other spans. */
interface RecordedError {
  readonly span: SpanRecord
  readonly error: ErrorEvent
  readonly exception: string
}

/**
 * The exception events of spans. Each layer of a program may record an error that it passes on. So a span that has the exception
 * of a span below it, of the same service, makes one error with it: the upper one, which says what failed for the caller.
 */
export function errorsOfSpans(spans: readonly SpanRecord[]): ErrorEvent[] {
  const recorded = spans.flatMap(recordedErrors)
  const spansOf = new Map<string, Set<SpanId>>()
  for (const { span, exception } of recorded)
    spansOf.set(exception, (spansOf.get(exception) ?? new Set()).add(span.spanId))
  if (spansOf.size === recorded.length) return recorded.map(({ error }) => error)
  const parents = new Map(spans.map(({ traceId, spanId, parentSpanId }) => [`${traceId} ${spanId}`, parentSpanId]))
  const isRepeated = ({ span, exception }: RecordedError) => {
    let repeats = false
    let above = span.parentSpanId
    for (let layer = 0; above !== undefined; layer++) {
      if (above === span.spanId || layer === LAYER_LIMIT) return false
      repeats ||= spansOf.get(exception)?.has(above) === true
      above = parents.get(`${span.traceId} ${above}`)
    }
    return repeats
  }
  return recorded.filter((each) => !isRepeated(each)).map(({ error }) => error)
}

function recordedErrors(span: SpanRecord): RecordedError[] {
  const { traceId, spanId, resource, source } = span
  return exceptionsOf(span).flatMap(({ time, attributes }) => {
    const transaction = textOf(span.attributes, "http.route") || span.name
    const error = readException({ attributes, time, traceId, spanId, resource, level: "error", transaction, source })
    if (error === undefined) return []
    return [{ span, error: { ...error, spanId: failedSpan(span) }, exception: exceptionId(error) }]
  })
}

/**
 * The span in which an exception happened. A span `exception` without duration only carries the event, such as that of a page whose
 * root had ended: its parent is the span that failed.
 */
function failedSpan({ name, startTime, endTime, spanId, parentSpanId }: SpanRecord): SpanId {
  return name === "exception" && startTime === endTime ? (parentSpanId ?? spanId) : spanId
}

/** Attributes of a failed span that make it an error, if it has no event of one: some SDKs for browsers write them there. */
export const EXCEPTION_ATTRIBUTES = ["exception.type", "exception.message"] as const

function exceptionsOf({
  events,
  attributes,
  status,
  endTime,
}: SpanRecord): Pick<ExceptionSource, "time" | "attributes">[] {
  const recorded = events.filter(({ name }) => name === "exception")
  const isOne =
    recorded.length === 0 && status.code === "error" && EXCEPTION_ATTRIBUTES.some((key) => attributes.has(key))
  return isOne ? [{ time: endTime, attributes }] : recorded
}

/**
 * What an error has in common with its repetitions on other spans of the trace. Not the type, if there is a stack: the SDK of
 * OpenTelemetry for JavaScript writes an error's `code` there, and others, such as Next and Pagespan, the name of its class.
 */
export function exceptionId({ traceId, service, type, value, exceptions }: ErrorEvent): string {
  const stack = exceptions[0]?.stackText ?? ""
  return recordId(traceId ?? "", service, stack === "" ? type : "", value, stack)
}

function mechanismOf(attributes: Attributes): ErrorEvent["exceptions"][number]["mechanism"] {
  const escaped = attributes.get("exception.escaped")
  return typeof escaped === "boolean" ? { type: "otel", handled: !escaped } : undefined
}

function textOf(attributes: Attributes, name: string): string {
  const value = attributes.get(name)
  return typeof value === "string" ? value : ""
}

/** Innermost frames that identify an issue: few, so that another caller is the same issue. */
const FRAMES_USED = 5
const DEFAULT = /^\{\{\s*default\s*\}\}$/

export interface Grouping {
  readonly fingerprint: readonly string[]
  readonly issueId: string
}

/**
 * Groups an error: by the fingerprint of its SDK, in which `{{ default }}` means the default; else by type and
 * innermost application frames; else by type and message without numbers.
 */
export function groupError(
  error: Pick<ErrorEvent, "type" | "value" | "exceptions">,
  given: readonly string[] = [],
): Grouping {
  const own = ownFingerprint(error)
  const fingerprint = given.length === 0 ? own : given.flatMap((part) => (DEFAULT.test(part) ? own : [part]))
  return { fingerprint, issueId: recordId(...fingerprint) }
}

function ownFingerprint({ type, value, exceptions }: Pick<ErrorEvent, "type" | "value" | "exceptions">): string[] {
  const places = exceptions[0] === undefined ? [] : placesOf(exceptions[0])
  return places.length === 0 ? [type, withoutNumbers(value)] : [type, ...places]
}

/** File and function of each frame. Line numbers change with every edit. */
function placesOf({ frames }: ExceptionRecord): string[] {
  const own = frames.filter(({ inApp }) => inApp === true)
  const used = own.length > 0 ? own : frames.filter(({ inApp }) => inApp === undefined)
  return used.slice(-FRAMES_USED).map(placeOf)
}

/** Without origin, query and content hash, which differ between deployments and builds. */
function placeOf({ file, module, function: name }: StackFrame): string {
  const path = file
    .replace(/^\w+:\/\/[^/]*/, "")
    .replace(/[?#].*/s, "")
    .replaceAll(/[0-9a-f]{8,}/g, "*")
  return `${module || path} ${name}`
}

function withoutNumbers(value: string): string {
  return value.replaceAll(/\b0x[0-9a-f]+\b|\b[0-9a-f-]{32,}\b|\d+/gi, "*")
}
