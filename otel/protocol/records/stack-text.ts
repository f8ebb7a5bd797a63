import { LINKED_ERROR_LIMIT, STACK_FRAME_LIMIT } from "../limits.ts"
import type { ExceptionRecord, StackFrame } from "./error.ts"

/** Reads stack traces that were sent as text, in the forms of V8, Firefox, Safari, Python and the JVM. */

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

/** An exception of a chain, parsed from its stack trace. */
interface StackPart extends Pick<ExceptionRecord, "type" | "value" | "frames" | "stackText"> {}

/** Where a cause begins. What is indented belongs to a suppressed exception. */
const CAUSE = /^Caused by: (?<type>[^\s:]{1,300})(?:: (?<value>.*))?$/s
/** Lines of an exception that was suppressed on the way. */
const SUPPRESSED = /^\t(?:\t|Suppressed: |Caused by: )/

/**
 * The exceptions of a stack trace in text: the one that was thrown, then its causes, as the JVM writes them. Of more than
 * `LINKED_ERROR_LIMIT` the last is kept: it is the root cause. The first has neither type nor message here.
 */
export function readStackChain(text: string): [StackPart, ...StackPart[]] {
  if (!text.includes("\nCaused by: ")) return [{ type: "", value: "", frames: readStackText(text), stackText: text }]
  const parts = text.split(/\n(?=Caused by: )/).map((part) => part.split("\n").filter((line) => !SUPPRESSED.test(line)))
  const [thrown = [], ...causes] = parts
  const kept =
    causes.length < LINKED_ERROR_LIMIT ? causes : [...causes.slice(0, LINKED_ERROR_LIMIT - 2), ...causes.slice(-1)]
  return [partOf("", "", thrown), ...kept.map(causeOf)]
}

function causeOf(lines: readonly string[]): StackPart {
  // A message can have several lines.
  const frames = lines.findIndex((line) => line.startsWith("\t"))
  const heading = lines.slice(0, frames === -1 ? undefined : frames).join("\n")
  const { type = "", value = "" } = CAUSE.exec(heading)?.groups ?? {}
  return partOf(type, type === "" ? heading.slice("Caused by: ".length) : value, lines)
}

function partOf(type: string, value: string, lines: readonly string[]): StackPart {
  const stackText = lines.join("\n")
  return { type, value, frames: readStackText(stackText), stackText }
}

/** Frames of a stack trace in text, outermost caller first. Other lines are skipped. */
export function readStackText(text: string): StackFrame[] {
  const lines = text.split("\n", STACK_FRAME_LIMIT * 4).filter((line) => line.length <= LINE_LIMIT)
  const python = lines.flatMap((line) => frameOf(PYTHON.exec(line)?.groups))
  if (python.length > 0) return python.slice(-STACK_FRAME_LIMIT)
  const innermostFirst = lines.flatMap((line) => frameOfAt(line) ?? frameOf(SPIDER.exec(line)?.groups))
  return innermostFirst.slice(0, STACK_FRAME_LIMIT).toReversed()
}

/** What the JVM writes for the place of a frame. */
const JVM_FILE = /\.(?:java|kt|scala|groovy|clj)$|^(?:Native Method|Unknown Source)$/
/** Packages of the platform and of widespread frameworks, after the module or the class loader: `java.base/`, `app//`. */
const JVM_LIBRARY =
  /^(?:[\w.@-]{0,100}\/){0,2}(?:java|javax|jakarta|jdk|sun|com\.sun|kotlin|kotlinx|scala|clojure|groovy|akka|reactor|rx|io\.(?:netty|undertow|vertx|micrometer|opentelemetry|grpc|quarkus|micronaut|reactivex|smallrye)|org\.(?:springframework|apache|hibernate|eclipse|jboss|postgresql|h2|mariadb|mongodb|junit|slf4j|aspectj|glassfish|codehaus)|com\.(?:zaxxer|mysql|fasterxml|google|mongodb|netflix|rabbitmq|squareup)|net\.bytebuddy|okhttp3|okio|retrofit2|feign|ch\.qos)\./

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
      inApp: isLibrary(file, name ?? "") ? false : undefined,
      before: [],
      context: "",
      after: [],
    },
  ]
}

function isLibrary(file: string, name: string): boolean {
  if (file.startsWith("node:") || file.includes("/node_modules/") || file.includes("/site-packages/")) return true
  return JVM_FILE.test(file) && JVM_LIBRARY.test(name)
}
