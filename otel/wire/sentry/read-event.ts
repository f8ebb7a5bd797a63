import { ERROR_LEVELS, type ErrorEvent, type ErrorLevel } from "../../model/error-event.ts"
import { serviceName } from "../../model/span.ts"
import { groupError } from "../fingerprint.ts"
import { recordId } from "../record-id.ts"
import { boundedJson } from "./bounded-json.ts"
import type { ItemReader } from "./item-reader.ts"
import { type JsonObject, listOf, objectOf } from "./parse-json.ts"
import { readExceptions } from "./read-exceptions.ts"
import { originOfEvent, resourceOfEvent, type SdkFacts } from "./read-origin.ts"
import { prefixed } from "./read-span.ts"
import { readTime } from "./read-time.ts"
import { spanIdOf, traceIdOf } from "./read-trace-context.ts"

const FINGERPRINT_PARTS = 32
const EVENT_ID = /^[0-9a-f]{32}$/

/** With or without hyphens, in either case; `undefined` for what is no event id. */
export function eventIdOf(value: unknown): string | undefined {
  const id = typeof value === "string" ? value.replaceAll("-", "").toLowerCase() : ""
  return EVENT_ID.test(id) ? id : undefined
}

/**
 * An error or message event. Without a time it happened when it arrived; without a valid id it gets one from what it says,
 * so that the same event sent again is the same one.
 *
 * @see https://develop.sentry.dev/sdk/data-model/event-payloads/
 */
export function readEvent(
  reader: ItemReader,
  event: JsonObject,
  headerSdk: SdkFacts,
  headerEventId: string | undefined,
): ErrorEvent | undefined {
  const time = readTime(event["timestamp"]) ?? reader.receivedAt
  if (time > reader.latest) {
    reader.reject("invalid", "error", "an event from the future")
    return undefined
  }
  const exceptions = readExceptions(reader, event["exception"])
  const [first] = exceptions
  const type = first?.type ?? ""
  const value = first?.value || readMessage(reader, event)
  const facts = originOfEvent(reader, event, headerSdk)
  const trace = objectOf(objectOf(event["contexts"])["trace"])
  return {
    eventId: eventIdOf(event["event_id"]) ?? headerEventId ?? recordId(String(time), type, value),
    ...groupError({ type, value, exceptions }, readFingerprint(reader, event["fingerprint"])),
    time,
    traceId: traceIdOf(trace["trace_id"]),
    spanId: spanIdOf(trace["span_id"]),
    level: readLevel(event["level"], exceptions.length > 0),
    type,
    value,
    exceptions,
    transaction: reader.text(event["transaction"] ?? event["culprit"], "transaction"),
    service: serviceName(resourceOfEvent(reader, event, facts)),
    environment: facts.environment,
    release: facts.release,
    tags: readTags(reader, event["tags"]),
    breadcrumbs: boundedJson(reader, listOf(event["breadcrumbs"]), "breadcrumbs"),
    request: boundedJson(reader, event["request"], "the request"),
    context: boundedJson(reader, readContext(event), "contexts"),
    source: "sentry",
  }
}

function readMessage(reader: ItemReader, event: JsonObject): string {
  const { message } = event
  const entry = objectOf(event["logentry"] ?? message)
  const told = typeof message === "string" && message !== "" ? message : (entry["formatted"] ?? entry["message"])
  return reader.longText(told, "a message")
}

function readFingerprint(reader: ItemReader, value: unknown): string[] {
  const parts = Array.isArray(value) ? value : []
  return reader
    .list(parts, FINGERPRINT_PARTS, "the fingerprint")
    .map((part) => reader.text(part, "the fingerprint"))
    .filter((part) => part !== "")
}

function readLevel(value: unknown, isException: boolean): ErrorLevel {
  // `critical` and `log` are words of old SDKs.
  if (value === "critical") return "fatal"
  if ((ERROR_LEVELS as readonly unknown[]).includes(value)) return value as ErrorLevel
  return isException ? "error" : "info"
}

function readTags(reader: ItemReader, value: unknown): ErrorEvent["tags"] {
  const tags = new Map()
  reader.addAttributes(tags, prefixed("", value), "tags")
  return tags
}

function readContext({ user, contexts, extra }: JsonObject): object {
  return {
    ...(user !== undefined && { user }),
    ...(contexts !== undefined && { contexts }),
    ...(extra !== undefined && { extra }),
  }
}
