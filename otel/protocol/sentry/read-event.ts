import { LINKED_ERROR_LIMIT, STACK_FRAME_LIMIT } from "../limits.ts"
import {
  ERROR_LEVELS,
  type ErrorEvent,
  type ErrorLevel,
  type ExceptionRecord,
  type Mechanism,
  type StackFrame,
} from "../records/error.ts"
import { groupError } from "../records/exception.ts"
import { recordId } from "../records/ids.ts"
import { serviceName } from "../records/span.ts"
import { boundedJson, type ItemReader } from "./item-reader.ts"
import { isObject, type JsonObject, listOf, objectOf } from "./json.ts"
import { readTime, spanIdOf, traceIdOf } from "./read-fields.ts"
import { originOfEvent, resourceOfEvent, type SdkFacts } from "./read-origin.ts"
import { prefixed } from "./read-span.ts"

const FINGERPRINT_PARTS = 32
const EVENT_ID = /^[0-9a-f]{32}$/

/** Accepts hyphens and either case. Returns `undefined` for an invalid event id. */
export function eventIdOf(value: unknown): string | undefined {
  const id = typeof value === "string" ? value.replaceAll("-", "").toLowerCase() : ""
  return EVENT_ID.test(id) ? id : undefined
}

/**
 * Reads an error or message event. Without a time it has the time of arrival. Without a valid id its id is a hash of its content,
 * so that a repeated event is the same event.
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
    eventId: eventIdOf(event["event_id"]) ?? headerEventId ?? recordId("event", JSON.stringify(event)),
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
  const text = typeof message === "string" && message !== "" ? message : (entry["formatted"] ?? entry["message"])
  return reader.longText(text, "a message")
}

function readFingerprint(reader: ItemReader, value: unknown): string[] {
  const parts = Array.isArray(value) ? value : []
  return reader
    .list(parts, FINGERPRINT_PARTS, "the fingerprint")
    .map((part) => reader.text(part, "the fingerprint"))
    .filter((part) => part !== "")
}

function readLevel(value: unknown, isException: boolean): ErrorLevel {
  // Old SDKs send `critical` and `log`.
  if (value === "critical") return "fatal"
  if ((ERROR_LEVELS as readonly unknown[]).includes(value)) return value as ErrorLevel
  return isException ? "error" : "info"
}

function readTags(reader: ItemReader, value: unknown): ErrorEvent["tags"] {
  const tags = new Map()
  reader.addAttributes(tags, prefixed("", value), "tags")
  return tags
}

function readContext({ user, contexts, extra, debug_meta }: JsonObject): object {
  const images = readDebugIds(debug_meta)
  return {
    ...(user !== undefined && { user }),
    ...(contexts !== undefined && { contexts }),
    ...(extra !== undefined && { extra }),
    ...(images.length > 0 && { debug_meta: { images } }),
  }
}

/** Which source map belongs to which script of the stack. An event names at most as many as it has frames. */
function readDebugIds(value: unknown): object[] {
  return listOf(objectOf(value)["images"])
    .map(objectOf)
    .filter(({ type }) => type === "sourcemap")
    .slice(0, STACK_FRAME_LIMIT)
    .map(({ code_file, debug_id }) => ({ type: "sourcemap", code_file, debug_id }))
}

/** Lines of source before and after a frame's line. SDKs send five or seven. */
const CONTEXT_LINE_LIMIT = 10

/**
 * The exceptions of an event, the reported one first. Sentry serializes the innermost cause first and the reported exception last.
 * Old SDKs send a bare list or a single exception.
 */
export function readExceptions(reader: ItemReader, value: unknown): ExceptionRecord[] {
  const values = listOf(value)
  const all = values.length === 0 && isObject(value) && "type" in value ? [value] : values.filter(isObject)
  return reader
    .list(all, LINKED_ERROR_LIMIT, "exceptions", "last")
    .toReversed()
    .map((raw) => readException(reader, objectOf(raw)))
}

function readException(reader: ItemReader, raw: JsonObject): ExceptionRecord {
  const stack = objectOf(raw["stacktrace"] ?? raw["raw_stacktrace"])
  const frames = Array.isArray(stack["frames"]) ? stack["frames"] : []
  return {
    type: reader.text(raw["type"], "an exception's type"),
    value: reader.longText(raw["value"], "an exception's value"),
    mechanism: readMechanism(reader, raw["mechanism"]),
    frames: reader
      .list(frames, STACK_FRAME_LIMIT, "frames", "last")
      .filter(isObject)
      .map((frame) => readFrame(reader, frame)),
    stackText: "",
  }
}

function readMechanism(reader: ItemReader, value: unknown): Mechanism | undefined {
  if (!isObject(value)) return undefined
  const { type, handled } = value
  return { type: reader.text(type, "mechanism.type"), handled: typeof handled === "boolean" ? handled : undefined }
}

function readFrame(reader: ItemReader, raw: JsonObject): StackFrame {
  const inApp = raw["in_app"]
  return {
    function: reader.text(raw["function"], "a frame's function"),
    module: reader.text(raw["module"], "a frame's module"),
    file: reader.text(raw["filename"] ?? raw["abs_path"], "a frame's file"),
    line: lineNumber(raw["lineno"]),
    column: lineNumber(raw["colno"]),
    inApp: typeof inApp === "boolean" ? inApp : undefined,
    before: readLines(reader, raw["pre_context"], "last"),
    context: reader.text(raw["context_line"], "a line of source"),
    after: readLines(reader, raw["post_context"], "first"),
  }
}

function readLines(reader: ItemReader, value: unknown, keep: "first" | "last"): string[] {
  const lines = Array.isArray(value) ? value : []
  return reader
    .list(lines, CONTEXT_LINE_LIMIT, "lines of source", keep)
    .map((line) => reader.text(line, "a line of source"))
}

function lineNumber(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined
}
