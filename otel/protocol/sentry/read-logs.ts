import { type LogRecord, SEVERITY_NUMBERS } from "../records/log.ts"
import { withLogId } from "../records/log-id.ts"
import type { ItemReader } from "./item-reader.ts"
import { isObject, type JsonObject } from "./json.ts"
import { readTime, spanIdOf, traceIdOf } from "./read-fields.ts"
import { readResource, readScope, type SdkFacts } from "./read-origin.ts"
import { originOfAttributes, readTypedAttributes } from "./read-span.ts"

/** SDKs send 100 at a time, and Relay accepts 1,000. */
const LOG_LIMIT = 10_000

/**
 * Reads the records of a `log` item.
 *
 * @see https://develop.sentry.dev/sdk/telemetry/logs/
 */
export function readLogs(reader: ItemReader, items: readonly unknown[], headerSdk: SdkFacts): LogRecord[] {
  if (items.length > LOG_LIMIT)
    reader.reject("too_large", "log_item", `logs of an item past ${LOG_LIMIT}`, items.length - LOG_LIMIT)
  return items.slice(0, LOG_LIMIT).flatMap((raw, index) => {
    const time = isObject(raw) ? readTime(raw["timestamp"]) : undefined
    if (isObject(raw) && time !== undefined && time <= reader.latest)
      return [readLog(reader, raw, time, index, headerSdk)]
    reader.reject("invalid", "log_item", "a log without a time, or from the future")
    return []
  })
}

function readLog(
  reader: ItemReader,
  raw: JsonObject,
  time: LogRecord["time"],
  index: number,
  headerSdk: SdkFacts,
): LogRecord {
  const attributes = readTypedAttributes(reader, raw["attributes"], "log attributes")
  const facts = originOfAttributes(attributes, headerSdk)
  const traceId = traceIdOf(raw["trace_id"])
  const spanId = spanIdOf(raw["span_id"]) ?? spanIdOf(attributes.get("sentry.trace.parent_span_id"))
  const level = reader.text(raw["level"], "level")
  const body = reader.longText(raw["body"], "a log's body")
  const number = raw["severity_number"]
  const isNumber = Number.isInteger(number) && (number as number) >= 1 && (number as number) <= 24
  const log = {
    time,
    traceId,
    spanId,
    severityNumber: isNumber ? (number as number) : (SEVERITY_NUMBERS.get(level) ?? 0),
    severityText: level,
    eventName: "",
    body,
    attributes,
    resource: readResource(new Map(), facts),
    scope: readScope(facts.sdk),
    source: "sentry",
  } as const
  return withLogId(log, log.time, index)
}
