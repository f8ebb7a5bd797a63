import type { Filter } from "../filters.ts"
import { safely } from "../safely.ts"

/** Called when a filter of the app fails. The data passes. */
export type FilterFailed = (filter: string, error: unknown) => void

/** Why data was dropped, and by which filter. */
export type FilterDrop = Pick<Filter<never>, "name" | "reason">

/** `FilterReason`. An app without types may count under any other name, which no client report can have. */
const REASON = /^(?:framework_signal|noisy_error|not_found_trace)$/

/**
 * What the first filter says that drops the data by returning `true`. A filter that throws, or returns a promise or another
 * value that is no boolean, lets the data pass: a bug in a filter must not hide errors.
 */
export function droppingFilter<Facts>(
  filters: readonly Filter<Facts>[],
  facts: Facts,
  failed: FilterFailed,
): FilterDrop | undefined {
  for (const [index, filter] of filters.entries()) {
    const name = safely(
      () => String(filter.name),
      () => `number ${index + 1}`,
    )
    const drop = safely<FilterDrop | undefined>(
      () => {
        if (!isDrop(filter.drops(facts))) return undefined
        return { name, reason: REASON.test(filter.reason) ? filter.reason : "ignored" }
      },
      (error) => void failed(name, error),
    )
    if (drop !== undefined) return drop
  }
  return undefined
}

/** @throws {TypeError} for anything but a boolean, `undefined` or `null`. */
function isDrop(result: unknown): boolean {
  if (typeof result === "boolean" || result === undefined || result === null) return result === true
  // Without a handler, its rejection would be an unhandled rejection in the app.
  Promise.resolve(result).catch(() => undefined)
  throw new TypeError("drops() must return a boolean")
}
