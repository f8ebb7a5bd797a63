/**
 * Runs work that may throw: the tracer's own in somebody else's app, and every callback of that app. Nothing that goes
 * wrong in it reaches the app.
 *
 * @param failed is called with what was thrown, and returns what stands in for the result. Default: `undefined` does.
 * @example const text = safely(() => String(thrown), () => "unknown")
 */
export function safely(work: () => void): void
export function safely<Result>(work: () => Result, failed: (error: unknown) => Result): Result
export function safely<Result>(work: () => Result, failed?: (error: unknown) => Result): Result | undefined {
  try {
    return work()
  } catch (error) {
    return failed?.(error)
  }
}
