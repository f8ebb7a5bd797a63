import { redactText } from "../../protocol/redact.ts"
import { processState } from "../process-state.ts"
import { safely } from "../../protocol/safely.ts"

/** Writes one line to the log of the server or of the build. Never called in a page. */
export function warn(line: string): void {
  // oxlint-disable-next-line no-console -- the server's log is the only place where an operator sees it
  console.warn(`pagespan: ${line}`)
}

const state = processState<Set<string>>("warned")

/**
 * Warns once per subject and process.
 *
 * @param subject what the line is about, from a fixed set: a variable, or a part of the SDK.
 */
export function warnOnce(subject: string, line: string): void {
  const warned = (state.value ??= new Set())
  if (warned.has(subject)) return
  warned.add(subject)
  warn(line)
}

/**
 * Runs an optional part of the SDK. If it throws, `attempt` warns once and the app continues without that part.
 *
 * @param part name of the part for the warning, like `export to the collector`.
 * @returns the result of `run`, or `undefined` if it threw.
 *
 * @example
 * const collector = attempt("export to the collector", () => createCollectorExporter(config))
 */
export function attempt<Result>(part: string, run: () => Result): Result | undefined {
  return safely<Result | undefined>(run, (error) => {
    warnOfFailure(part, error)
    return undefined
  })
}

/** Warns once that a part of the SDK failed, and why. Secrets in the error are redacted. */
export function warnOfFailure(part: string, error: unknown): void {
  const reason = safely(
    () => String(error),
    () => typeof error,
  )
  warnOnce(part, `${part} failed, and the app continues without it: ${redactText(reason)}`)
}
