import type { ErrorEvent, ExceptionRecord, StackFrame } from "./error.ts"
import { recordId } from "./ids.ts"

/** Frames that tell one error from another: enough for the place, few enough that another caller is the same error. */
const FRAMES_USED = 5
const DEFAULT = /^\{\{\s*default\s*\}\}$/

export interface Grouping {
  readonly fingerprint: readonly string[]
  readonly issueId: string
}

/**
 * What an error is grouped by: the fingerprint that its SDK gave (in which `{{ default }}` stands for ours), else its type
 * with the innermost frames of the application, else its type with what it says, numbers left out.
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

/** Line numbers move with every edit; a frame is its file and function. */
function placesOf({ frames }: ExceptionRecord): string[] {
  const own = frames.filter(({ inApp }) => inApp === true)
  const used = own.length > 0 ? own : frames.filter(({ inApp }) => inApp === undefined)
  return used.slice(-FRAMES_USED).map(placeOf)
}

/** Without origin, query and content hash: the same code is served from elsewhere, and built again, under another one. */
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
