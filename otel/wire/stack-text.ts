import type { StackFrame } from "../model/error-event.ts"
import { STACK_FRAME_LIMIT } from "../model/limits.ts"

/** V8's and the JVM's `at function (file:line:column)` and `at file:line:column`. */
const AT =
  /^\s*at (?:async |new )?(?:(?<name>[^()]{1,300}?) ?\()?(?<file>[^()]{1,1000}?)(?::(?<line>\d{1,9}))?(?::(?<column>\d{1,9}))?\)?$/
/** Firefox's and Safari's `function@file:line:column`. */
const SPIDER = /^(?<name>[^@\s]{0,300})@(?<file>\S{1,1000}?):(?<line>\d{1,9}):(?<column>\d{1,9})$/
/** Python's `File "file", line 3, in function`, which runs the other way round. */
const PYTHON = /^\s*File "(?<file>[^"]{1,1000})", line (?<line>\d{1,9})(?:, in (?<name>.{1,300}))?$/

/** Longer lines are messages, not frames. */
const LINE_LIMIT = 2_000

/** Frames of a stack that came as text, the caller first. Lines that are no frame are left out; another format gives none. */
export function readStackText(text: string): StackFrame[] {
  const lines = text.split("\n", STACK_FRAME_LIMIT * 4).filter((line) => line.length <= LINE_LIMIT)
  const python = lines.flatMap((line) => frameOf(PYTHON.exec(line)))
  if (python.length > 0) return python.slice(-STACK_FRAME_LIMIT)
  const innermostFirst = lines.flatMap((line) => frameOf(AT.exec(line) ?? SPIDER.exec(line)))
  return innermostFirst.slice(0, STACK_FRAME_LIMIT).toReversed()
}

function frameOf(match: RegExpExecArray | null): StackFrame[] {
  if (match?.groups === undefined) return []
  const { name, file = "", line, column } = match.groups
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
