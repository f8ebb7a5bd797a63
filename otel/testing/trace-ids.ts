import { createHash, randomFillSync } from "node:crypto"

/** Set by a reporter, inherited by the workers: without it nobody sends traces, and nothing is recorded. */
export const RUN_ID_VARIABLE = "PAGESPAN_TEST_RUN_ID"

/** 32 and 16 hexadecimal digits that no other call returns. */
export function randomIds(): { traceId: string; spanId: string } {
  return { traceId: randomHex(16), spanId: randomHex(8) }
}

export function randomSpanId(): string {
  return randomHex(8)
}

/** Random bytes are drawn for many ids at a time: a call costs as much for 4 KiB as for one id. */
const pool = Buffer.alloc(4_096)
let used = pool.length

function randomHex(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += bytes
  return pool.toString("hex", used - bytes, used)
}

/** Ids that a process which knows the parts can compute: those of an attempt, in its worker and in the reporter. */
export function idsOf(...parts: readonly (string | number)[]): { traceId: string; spanId: string } {
  const hex = createHash("sha256").update(JSON.stringify(parts)).digest("hex")
  return { traceId: hex.slice(0, 32), spanId: hex.slice(32, 48) }
}

/** The header for a request below the span. Always sampled, so that servers record what the test caused. */
export function traceparent(traceId: string, spanId: string): string {
  return `00-${traceId}-${spanId}-01`
}
