import { type ErrorEvent, errorTitle, type ExceptionRecord, type StackFrame } from "../../../protocol/records/error.ts"
import { redactText } from "../../../protocol/redact.ts"

/** Frames of one exception, innermost first. */
const FRAMES = 50

/**
 * An event as plain text to paste into a chat or a language model: its title, its facts and its stack traces, without
 * secrets.
 */
export function errorText(event: ErrorEvent, exceptions: readonly ExceptionRecord[], isoTime: string): string {
  const facts = factsOf(event, isoTime).map(([name, value]) => `${name}: ${value}`)
  return redactText([errorTitle(event), ...facts, ...exceptions.flatMap(exceptionLines)].join("\n"))
}

/** The same as Markdown for an issue. What was recorded is code, so that none of it is markup or mentions anybody. */
export function errorMarkdown(event: ErrorEvent, exceptions: readonly ExceptionRecord[], isoTime: string): string {
  const facts = factsOf(event, isoTime).map(([name, value]) => `- ${name}: ${inlineCode(redactText(value))}`)
  const stacks = redactText(exceptions.flatMap(exceptionLines).join("\n").trim())
  const fence = fenceAround(stacks)
  return [
    `### ${inlineCode(redactText(errorTitle(event)))}`,
    "",
    ...facts,
    ...(stacks === "" ? [] : ["", fence, stacks, fence]),
  ].join("\n")
}

function factsOf(event: ErrorEvent, isoTime: string): (readonly [name: string, value: string])[] {
  const facts = [
    ["time", isoTime],
    ["level", event.level],
    ["service", event.service],
    ["route", event.transaction],
    ["release", event.release],
    ["environment", event.environment],
    ["trace", event.traceId],
    ["span", event.spanId],
    ["event", event.eventId],
  ] as const
  return facts.flatMap(([name, value]) => (value ? [[name, value] as const] : []))
}

/** @see https://spec.commonmark.org/0.31.2/#code-spans */
function inlineCode(text: string): string {
  const line = text.replaceAll(/\s+/g, " ")
  const fence = fenceAround(line, 1)
  return fence.length === 1 ? `\`${line}\`` : `${fence} ${line} ${fence}`
}

/** Backticks that end no code within the text: one more than its longest run. */
function fenceAround(text: string, least = 3): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length))
  return "`".repeat(Math.max(least, longest + 1))
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
