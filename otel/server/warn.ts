import { scrubText } from "../sentry/scrub.ts"

/** One line in the server's log, for whoever set the app up. Never in a page. */
export function warn(line: string): void {
  // oxlint-disable-next-line no-console -- there is no other place where it would be found
  console.warn(`pagespan: ${line}`)
}

const KEY = Symbol.for("pagespan.warned")
type Holder = { [KEY]?: Set<string> }

/**
 * The same, once in this process: Next bundles instrumentation and routes apart, so what was said is on the global object.
 *
 * @param subject what the line is about, of which there are only so many: a variable, or a part of the SDK.
 */
export function warnOnce(subject: string, line: string): void {
  const warned = ((globalThis as Holder)[KEY] ??= new Set())
  if (warned.has(subject)) return
  warned.add(subject)
  warn(line)
}

/**
 * Runs a part of the SDK without which the app must go on. What it throws ends here, with one warning.
 *
 * @param part what the warning says failed, like `export to the collector`.
 * @returns what it returns, `undefined` where it threw.
 *
 * @example
 * const collector = attempt("export to the collector", () => createCollectorExporter(config))
 */
export function attempt<Result>(part: string, run: () => Result): Result | undefined {
  try {
    return run()
  } catch (error) {
    warnOfFailure(part, error)
    return undefined
  }
}

/** Says that a part of the SDK failed, and why, without secrets. */
export function warnOfFailure(part: string, error: unknown): void {
  warnOnce(part, `${part} failed, and the app goes on without: ${scrubText(String(error))}`)
}
