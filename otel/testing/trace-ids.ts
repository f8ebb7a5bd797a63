/** Set by a reporter, inherited by the workers: without it nobody sends traces, and nothing is recorded. */
export const RUN_ID_VARIABLE = "PAGESPAN_TEST_RUN_ID"

/** 32 and 16 hexadecimal digits that no other call returns. */
export function randomIds(): { traceId: string; spanId: string } {
  return { traceId: randomHex(32), spanId: randomHex(16) }
}

export function randomSpanId(): string {
  return randomHex(16)
}

/**
 * OpenTelemetry makes ids of it too. `node:crypto` would take a quarter of the set-up file's time, which Vitest loads anew for each
 * test file. A copy, because a test may replace `Math.random`.
 */
const { random } = Math
const DIGITS_AT_ONCE = 8

function randomHex(digits: number): string {
  let hex = ""
  while (hex.length < digits)
    hex += Math.floor(random() * 16 ** DIGITS_AT_ONCE)
      .toString(16)
      .padStart(DIGITS_AT_ONCE, "0")
  return hex
}

/** The header for a request below the span. Always sampled, so that servers record what the test caused. */
export function traceparent(traceId: string, spanId: string): string {
  return `00-${traceId}-${spanId}-01`
}
