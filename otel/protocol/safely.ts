/**
 * Runs work that may throw: every callback of the app, and the SDK's own work in the app's call stack. An error does not
 * reach the app.
 *
 * @param failed receives the error and returns the substitute result. Default: the result is `undefined`.
 * @example const text = safely(() => String(thrown), () => "unknown")
 */
export function safely<Result>(work: () => Result): Result | undefined
export function safely<Result>(work: () => Result, failed: (error: unknown) => Result): Result
export function safely<Result>(work: () => Result, failed?: (error: unknown) => Result): Result | undefined {
  try {
    return work()
  } catch (error) {
    return failed?.(error)
  }
}
