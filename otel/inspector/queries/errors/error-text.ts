import { type ErrorEvent, errorTitle, type ExceptionRecord, type StackFrame } from "../../../protocol/records/error.ts"
import { redactText } from "../../../protocol/redact.ts"

/** Frames of one exception, innermost first. */
const FRAMES = 50

/**
 * An event as plain text to paste into an issue, a chat or a language model: its title, its facts and its stack traces,
 * without secrets.
 */
export function errorText(event: ErrorEvent, exceptions: readonly ExceptionRecord[], isoTime: string): string {
  const facts: [string, string | undefined][] = [
    ["time", isoTime],
    ["level", event.level],
    ["service", event.service],
    ["route", event.transaction],
    ["release", event.release],
    ["environment", event.environment],
    ["trace", event.traceId],
    ["span", event.spanId],
    ["event", event.eventId],
  ]
  const lines = [
    errorTitle(event),
    ...facts.filter(([, value]) => value).map(([name, value]) => `${name}: ${value}`),
    ...exceptions.flatMap(exceptionLines),
  ]
  return redactText(lines.join("\n"))
}

function exceptionLines(exception: ExceptionRecord, index: number): string[] {
  const heading = `${index === 0 ? "" : "caused by "}${errorTitle(exception) || "Error"}`
  if (exception.frames.length === 0) return ["", heading, ...(exception.stackText === "" ? [] : [exception.stackText])]
  const frames = exception.frames.slice(-FRAMES).toReversed()
  return ["", heading, ...frames.map(frameLine)]
}

function frameLine({ function: name, file, module, line, column, inApp }: StackFrame): string {
  const place = [file || module, line, column].filter((part) => part !== undefined && part !== "").join(":")
  return `    at ${name || "(anonymous)"} (${place})${inApp === true ? " [in app]" : ""}`
}
