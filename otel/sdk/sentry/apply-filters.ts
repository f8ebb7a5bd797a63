import type { Filter } from "../filters.ts"
import { safely } from "../../protocol/safely.ts"

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
