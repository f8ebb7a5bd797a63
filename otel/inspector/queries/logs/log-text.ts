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
