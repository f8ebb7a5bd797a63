import type { LogJson, LogValue } from "./log-json.ts"

/** Severity and text of a log, for screens, terminals and agents. Runs in a browser. */
export { type Severity, severityOf } from "../../../protocol/records/log.ts"

/** Control sequences of terminals, such as colours. One that the end of a cut text interrupts counts. */
const TERMINAL =
  // oxlint-disable-next-line no-control-regex -- finding control sequences is the purpose
  /\u001b(?:\[[0-?]*[ -/]*[@-~]?|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\^_])?|\u009b[0-?]*[ -/]*[@-~]?/g

/** The text without control sequences of terminals (ANSI escape codes). */
function withoutAnsi(text: string): string {
  return text.replace(TERMINAL, "")
}

/** The value without them in any of its texts. Nesting is bounded by `DEPTH_LIMIT` at ingest. */
export function plainValue(value: LogValue): LogValue {
  if (typeof value === "string") return withoutAnsi(value)
  if (typeof value !== "object" || value === null) return value
  if (isList(value)) return value.map(plainValue)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [withoutAnsi(key), plainValue(inner)]))
}

function isList(value: object): value is readonly LogValue[] {
  return Array.isArray(value)
}

/** The body of a log as text. A structured body is its JSON. */
export function logText({ body, bodyText }: Pick<LogJson, "body" | "bodyText">): string {
  if (bodyText !== undefined) return withoutAnsi(bodyText)
  const plain = plainValue(body)
  if (plain === null) return ""
  return typeof plain === "string" ? plain : JSON.stringify(plain)
}

/** The name of an event; before OTLP had a field for it, SDKs wrote it into an attribute. */
export function eventNameOf({ eventName, attributes }: Pick<LogJson, "eventName" | "attributes">): string {
  const name = eventName === "" ? attributes["event.name"] : eventName
  return typeof name === "string" ? withoutAnsi(name) : ""
}

/**
 * A log as one line: its body, after the event's name if it is data; without a body, or with one that repeats the name, the exception that
 * it records, or the event's name and its attributes.
 *
 * @example { eventName: "browser.web_vital", body: { name: "INP", value: 8 } } // browser.web_vital {"name":"INP","value":8}
 */
export function logSummary(log: Pick<LogJson, "attributes" | "body" | "bodyText" | "eventName">): string {
  const text = logText(log)
  const name = eventNameOf(log)
  const hasBody = text !== "" && text !== name
  if (hasBody && typeof log.body === "string") return text
  if (hasBody) return `${name} ${text}`.trimStart()
  const { "exception.type": type, "exception.message": message, ...attributes } = log.attributes
  const exception = [type, message].filter((part) => typeof part === "string" && part !== "")
  if (exception.length > 0) return withoutAnsi(exception.join(": "))
  const named = Object.entries(attributes).filter(([key]) => key !== "event.name")
  return [name, ...named.map(([key, value]) => `${withoutAnsi(key)}=${logText({ body: value })}`)].join(" ").trimStart()
}
