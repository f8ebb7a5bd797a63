import { NO_ATTRIBUTES } from "../../../protocol/records/attributes.ts"
import { type ErrorEvent, errorTitle, type ErrorLevel, type StackFrame } from "../../../protocol/records/error.ts"
import { type LogRecord, SEVERITY_NUMBERS } from "../../../protocol/records/log.ts"

/** Severities of the log data model by Sentry's levels, which have the same names. */
const SEVERITY_OF = (level: ErrorLevel) => SEVERITY_NUMBERS.get(level) ?? 0

/**
 * An error of Sentry as OTLP can say it: a log record with exception attributes, which every inspector reads as an error.
 * Breadcrumbs, user, contexts and Sentry's own grouping have no place in it.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/exceptions/exceptions-logs/
 */
export function exceptionLog(error: ErrorEvent): LogRecord {
  const { eventId, time, traceId, spanId, level, type, value, service, environment, release } = error
  const stack = stackTrace(error)
  const pairs = [
    ["exception.type", type],
    ["exception.message", value],
    ["exception.stacktrace", stack],
  ] as const
  const resource = [
    ["service.name", service],
    ["service.version", release],
    ["deployment.environment.name", environment],
  ] as const
  return {
    logId: eventId,
    time,
    traceId,
    spanId,
    severityNumber: SEVERITY_OF(level),
    severityText: level,
    eventName: "exception",
    body: errorTitle(error),
    attributes: new Map([...error.tags, ...pairs.filter(([, text]) => text !== "")]),
    resource: { attributes: new Map(resource.filter(([, text]) => text !== "")), schemaUrl: "" },
    scope: { name: "pagespan.recording", version: "", attributes: NO_ATTRIBUTES },
    source: "otlp",
  }
}

/** The reported exception and its causes in the form of V8 and the JVM, which the decoder of exceptions reads. */
function stackTrace({ exceptions }: ErrorEvent): string {
  return exceptions
    .map(({ type, value, frames, stackText }, index) => {
      const title = errorTitle({ type, value })
      const lines = frames.toReversed().map(frameLine)
      const own = stackText === "" ? [title, ...lines].join("\n") : stackText
      return index === 0 ? own : `Caused by: ${[title, ...lines].join("\n")}`
    })
    .join("\n")
}

function frameLine({ function: name, file, module, line, column }: StackFrame): string {
  const place = [file || module || "<anonymous>", line, column].filter((part) => part !== undefined).join(":")
  // A cause ends where a line without a tab begins.
  return name === "" ? `\tat ${place}` : `\tat ${name} (${place})`
}
