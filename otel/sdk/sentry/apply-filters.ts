import type { Filter, Pattern } from "../filters.ts"
import { safely } from "../safely.ts"

/** Called when a filter of the app fails. The data passes. */
export type FilterFailed = (filter: string, error: unknown) => void

/**
 * The first filter that drops the data by returning `true`. A filter that throws, or returns a promise or another value
 * that is no boolean, lets the data pass: a bug in a filter must not hide errors.
 */
export function droppingFilter<Facts>(
  filters: readonly Filter<Facts>[],
  facts: Facts,
  failed: FilterFailed,
): Filter<Facts> | undefined {
  return filters.find((filter, index) =>
    safely(
      () => isDrop(filter.drops(facts)),
      (error) => {
        failed(
          safely(
            () => String(filter.name),
            () => `number ${index + 1}`,
          ),
          error,
        )
        return false
      },
    ),
  )
}

/** @throws {TypeError} for anything but a boolean, `undefined` or `null`. */
function isDrop(result: unknown): boolean {
  if (typeof result === "boolean" || result === undefined || result === null) return result === true
  // Without a handler, its rejection would be an unhandled rejection in the app.
  Promise.resolve(result).catch(() => undefined)
  throw new TypeError("drops() must return a boolean")
}

/**
 * Whether a text contains or matches one of the patterns.
 *
 * @param rule name of the patterns' option in `setFilters`.
 * @param passing the result for a pattern that fails: the one that lets the data pass.
 */
export function matchesAny(
  text: string,
  patterns: readonly Pattern[],
  { rule, passing, failed }: { readonly rule: string; readonly passing: boolean; readonly failed: FilterFailed },
): boolean {
  return patterns.some((pattern) =>
    safely(
      () => {
        if (typeof pattern === "string") return text.includes(pattern)
        // A pattern with the `g` flag starts where its last match ended.
        pattern.lastIndex = 0
        return pattern.test(text)
      },
      (error) => {
        failed(rule, error)
        return passing
      },
    ),
  )
}
