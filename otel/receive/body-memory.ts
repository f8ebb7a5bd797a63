import { BODY_LIMIT_BYTES } from "../model/limits.ts"
import type { Refusal } from "./refusal.ts"
import { WorkTurns } from "./work-turns.ts"

/** Bytes of bodies that may be in memory at once, over all requests: two of the largest, as sent and inflated. */
const IN_FLIGHT_BYTES = 2 * BODY_LIMIT_BYTES

/** Counts the bytes of all bodies that are being read. What would not fit is refused at once, never made to wait. */
export class BodyMemory {
  /** Bodies that are whole wait here, in memory, until they are worked on. */
  readonly turns = new WorkTurns()
  #reserved = 0

  constructor(private readonly limitBytes: number = IN_FLIGHT_BYTES) {}

  readonly refusal: Refusal = {
    status: 503,
    reason: "queue_overflow",
    message: "Too many large requests at once. Send again later.",
    retryAfterSeconds: 1,
  }

  get reserved(): number {
    return this.#reserved
  }

  reserve(bytes: number): boolean {
    if (this.#reserved + bytes > this.limitBytes) return false
    this.#reserved += bytes
    return true
  }

  release(bytes: number): void {
    this.#reserved -= bytes
  }
}
