import { attributeText } from "./attributes.ts"
import { recordId } from "./ids.ts"
import type { LogRecord } from "./log.ts"
import type { Resource } from "./span.ts"
import type { Nanoseconds } from "./time.ts"

/** The texts of resources, which the records of a request share. */
const resourceTexts = new WeakMap<Resource, string>()

/**
 * Adds the id of a record: a hash of its content, 32 hexadecimal digits. The store keeps one record of each id, so that a retried
 * request changes nothing.
 *
 * @param sentTime the record's time as it was sent: that of arrival would be another in a retry. 0 if it has none.
 * @param position index in the request, which distinguishes equal records of one request.
 */
export function withLogId(log: Omit<LogRecord, "logId">, sentTime: Nanoseconds, position: number): LogRecord {
  const { attributes, body, eventName, resource, severityNumber, severityText, source, spanId, traceId } = log
  let resourceText = resourceTexts.get(resource)
  if (resourceText === undefined) {
    resourceText = attributeText(resource.attributes)
    resourceTexts.set(resource, resourceText)
  }
  const numbers = [sentTime, position, severityNumber].join(" ")
  const texts = [severityText, eventName, attributeText(body), attributeText(attributes), resourceText]
  return { ...log, logId: recordId(source, numbers, traceId ?? "", spanId ?? "", ...texts) }
}
