import type { ExceptionRecord, Mechanism, StackFrame } from "../../model/error-event.ts"
import { LINKED_ERROR_LIMIT, STACK_FRAME_LIMIT } from "../../model/limits.ts"
import type { ItemReader } from "./item-reader.ts"
import { isObject, type JsonObject, listOf, objectOf } from "./parse-json.ts"

/** Lines of source around a frame's own: SDKs send five or seven on each side. */
const CONTEXT_LINE_LIMIT = 10

/**
 * The exceptions of an event, what was reported first. Sentry serialises the innermost cause first and what was reported
 * last; old SDKs send a bare list or one exception alone.
 */
export function readExceptions(reader: ItemReader, value: unknown): ExceptionRecord[] {
  const told = listOf(value)
  const all = told.length === 0 && isObject(value) && "type" in value ? [value] : told.filter(isObject)
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
