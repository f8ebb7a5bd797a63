import type { TestError, TestStep } from "./test-trace.ts"

/** What the set-up file records of an attempt and the reporter reads, under `ATTEMPTS_IN_META` of the test's `meta`. Plain JSON. */
export interface RecordedAttempt {
  readonly traceId: string
  readonly spanId: string
  readonly startMs: number
  readonly endMs: number
  readonly steps: readonly TestStep[]
  readonly omitted: number
  readonly errors: readonly TestError[]
}

export const ATTEMPTS_IN_META = "pagespan"
