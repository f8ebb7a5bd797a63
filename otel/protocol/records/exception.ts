import { STACK_FRAME_LIMIT } from "../limits.ts"
import type { Attributes } from "./attributes.ts"
import type { ErrorEvent, ExceptionRecord, StackFrame } from "./error.ts"
import { recordId, type SpanId, type TraceId } from "./ids.ts"
import { type Resource, serviceName, type SpanRecord, type SpanSource } from "./span.ts"
import type { Nanoseconds } from "./time.ts"

/**
 * Errors from OpenTelemetry's exception attributes: `exception.*` of a span event or of a log record.
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
}

/** `undefined` if the attributes hold no exception. */
export function readException(from: ExceptionSource): ErrorEvent | undefined {
  const { attributes, time, traceId, spanId, resource } = from
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

/** The exception events of spans. */
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

/** V8 and the JVM: `at function (place)` and `at place`. */
const AT = /^\s*at (?:async |new )?(?<rest>\S.*)$/
/** `file`, `file:line` or `file:line:column`. */
const PLACE = /^(?<file>.+?)(?::(?<line>\d{1,9}))?(?::(?<column>\d{1,9}))?$/
/** Code that `eval` ran has the place of the call: `eval at load (https://shop.example/a.js:21:17), <anonymous>:1:30`. */
const EVAL_CALL = /^eval at .*\((?<place>[^()]{1,1000}:\d{1,9}:\d{1,9})\)/
/** Firefox's and Safari's `function@file:line:column`. */
const SPIDER = /^(?<name>[^@\s]{0,300})@(?<file>\S{1,1000}?):(?<line>\d{1,9}):(?<column>\d{1,9})$/
/** Python's `File "file", line 3, in function`. Python writes the caller first. */
const PYTHON = /^\s*File "(?<file>[^"]{1,1000})", line (?<line>\d{1,9})(?:, in (?<name>.{1,300}))?$/

/** Longer lines are messages, not frames. */
const LINE_LIMIT = 2_000

/** Frames of a stack trace in text, outermost caller first. Other lines are skipped. */
export function readStackText(text: string): StackFrame[] {
  const lines = text.split("\n", STACK_FRAME_LIMIT * 4).filter((line) => line.length <= LINE_LIMIT)
  const python = lines.flatMap((line) => frameOf(PYTHON.exec(line)?.groups))
  if (python.length > 0) return python.slice(-STACK_FRAME_LIMIT)
  const innermostFirst = lines.flatMap((line) => frameOfAt(line) ?? frameOf(SPIDER.exec(line)?.groups))
  return innermostFirst.slice(0, STACK_FRAME_LIMIT).toReversed()
}

const NAME_LIMIT = 300
const FILE_LIMIT = 1_000

/** The file may hold parentheses, as Next.js route groups do: `at Page (/app/(shop)/page.tsx:7:9)`. */
function frameOfAt(text: string): StackFrame[] | undefined {
  const rest = AT.exec(text)?.groups?.["rest"]
  if (rest === undefined) return undefined
  const { name, place } = splitAt(rest)
  const groups = PLACE.exec(EVAL_CALL.exec(place)?.groups?.["place"] ?? place)?.groups
  const { file = "", line } = groups ?? {}
  const isSentence = line === undefined && /[()]/.test(file)
  if (isSentence || file.length > FILE_LIMIT || name.length > NAME_LIMIT) return undefined
  return frameOf({ ...groups, name })
}

/** The first ` (` starts the place; the JVM writes no space: `at com.acme.Cart.load(Cart.java:12)`. */
function splitAt(text: string): { readonly name: string; readonly place: string } {
  const spaced = text.indexOf(" (")
  const open = spaced === -1 ? text.lastIndexOf("(") : spaced + 1
  if (open === -1 || !text.endsWith(")")) return { name: "", place: text }
  return { name: text.slice(0, open).trim(), place: text.slice(open + 1, -1) }
}

function frameOf(groups: Readonly<Record<string, string>> | undefined): StackFrame[] {
  if (groups === undefined) return []
  const { name, file = "", line, column } = groups
  return [
    {
      function: name ?? "",
      module: "",
      file,
      line: line === undefined ? undefined : Number(line),
      column: column === undefined ? undefined : Number(column),
      inApp: isLibrary(file) ? false : undefined,
      before: [],
      context: "",
      after: [],
    },
  ]
}

function isLibrary(file: string): boolean {
  return file.startsWith("node:") || file.includes("/node_modules/") || file.includes("/site-packages/")
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
