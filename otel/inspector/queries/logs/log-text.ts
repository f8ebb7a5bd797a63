import type { LogValue } from "./log-json.ts"

/** Severity and text of a log, for screens, terminals and agents. Runs in a browser. */
export { type Severity, severityOf } from "../../../protocol/records/log.ts"

/** Control sequences of terminals, such as colours. One that the end of a cut text interrupts counts. */
const TERMINAL =
  // oxlint-disable-next-line no-control-regex -- finding control sequences is the purpose
  /\u001b(?:\[[0-?]*[ -/]*[@-~]?|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\^_])?|\u009b[0-?]*[ -/]*[@-~]?/g

/** The text without control sequences of terminals (ANSI escape codes). */
export function withoutAnsi(text: string): string {
  return text.replace(TERMINAL, "")
}

/** A structured body is its JSON. */
export function bodyText(body: LogValue): string {
  if (body === null) return ""
  return withoutAnsi(typeof body === "string" ? body : JSON.stringify(body))
}
