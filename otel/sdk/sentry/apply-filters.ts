import type { Filter, Pattern } from "../filters.ts"
import { safely } from "../safely.ts"

/** Notes that a filter of the app failed. The record that it was asked about passes. */
export type FilterFailed = (filter: string, error: unknown) => void

/**
 * The first filter that drops a record. Only `true` does. A filter that throws, or answers with a promise or anything else
 * that is no boolean, lets the record pass: a bug in a filter must not hide errors.
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

/** @throws {TypeError} on anything but a boolean, or nothing. */
function isDrop(answer: unknown): boolean {
  if (typeof answer === "boolean" || answer === undefined || answer === null) return answer === true
  // Nobody else waits for it: its rejection would be the app's.
  Promise.resolve(answer).catch(() => undefined)
  throw new TypeError("drops() must return a boolean")
}

/**
 * Whether a text contains or matches one of the patterns.
 *
 * @param rule what the patterns are called in `setFilters`.
 * @param passing what a pattern that fails counts as: the answer that lets the record pass.
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
        // A pattern with the `g` flag remembers where it stopped.
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
