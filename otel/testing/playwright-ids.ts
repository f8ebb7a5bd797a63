import type { TestStep } from "./test-trace.ts"
import { idsOf } from "./trace-ids.ts"

/** What the fixture in a worker and the reporter in the main process agree on. */

/** Type of the annotation that brings `RecordedRequests` to the reporter, which removes it. Reports hide types with `_`. */
export const REQUESTS_ANNOTATION = "_pagespan"

/** The requests of an attempt, as JSON. */
export interface RecordedRequests {
  readonly steps: readonly TestStep[]
  readonly omitted: number
}

/** The ids of an attempt's root span. */
export function attemptIds(runId: string, testId: string, retry: number): { traceId: string; spanId: string } {
  return idsOf("playwright", runId, testId, retry)
}
