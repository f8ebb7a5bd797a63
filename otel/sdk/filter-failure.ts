import { processState } from "./process-state.ts"
import { safely } from "../protocol/safely.ts"

const failureLogged = /* @__PURE__ */ processState<true>("filter-failure-logged")

/**
 * Logs the first filter that fails in this process or page. The error's message is left out, since it may hold a secret.
 *
 * @returns a line about this failure, for a drop record's sample.
 */
export function logFilterFailure(filter: string, error: unknown): string {
  const type = safely(
    () => (error instanceof Error ? error.name : typeof error),
    () => "an error",
  )
  const line = `the filter ${JSON.stringify(filter)} failed (${type}) and let the record pass`
  if (failureLogged.value !== true) {
    failureLogged.value = true
    // oxlint-disable-next-line no-console -- the filter's author looks here
    safely(() => console.warn(`pagespan: ${line}`))
  }
  return line
}
