import { NAME_LIMIT_BYTES } from "../limits.ts"
import type { DropReason, DropTally } from "../records/drop.ts"
import { nanoseconds, type Nanoseconds } from "../records/time.ts"
import { cutText } from "./read-value.ts"
import type { Scalars } from "./scalars.ts"

export type RawMessage = Readonly<Record<string, unknown>>

export interface Problem {
  readonly reason: DropReason
  readonly text: string
}

/** ClickHouse and Go keep nanoseconds as a signed 64-bit integer: the year 2262. */
const LATEST_TIME = 2n ** 63n - 1n

const NOTHING: RawMessage = Object.freeze({})
const NO_MESSAGES: readonly unknown[] = Object.freeze([])

/**
 * Reads fields of one request, whichever its encoding. A field that is absent or null has protobuf's default. What is
 * not of the field's type is noted as the record's problem, of which the first counts; the caller takes it when the
 * record is complete and then leaves the record out. What is past a limit is cut and tallied, and the record stays.
 */
export class RecordReader {
  #problem: Problem | undefined

  constructor(
    readonly scalars: Scalars,
    readonly tally: DropTally,
  ) {}

  fail(reason: DropReason, text: string): void {
    this.#problem ??= { reason, text }
  }

  takeProblem(): Problem | undefined {
    const problem = this.#problem
    this.#problem = undefined
    return problem
  }

  /** Attributes are not records: what is cut of them must not disturb the sum of spans. */
  cut(reason: DropReason, sample: string, count = 1): void {
    this.tally.add(reason, "default", sample, count)
  }

  message(value: unknown, what: string): RawMessage {
    if (isAbsent(value)) return NOTHING
    if (typeof value === "object" && !Array.isArray(value)) return value as RawMessage
    this.fail("malformed", `${what} is not an object`)
    return NOTHING
  }

  messages(value: unknown, what: string): readonly unknown[] {
    if (isAbsent(value)) return NO_MESSAGES
    if (Array.isArray(value)) return value
    this.fail("malformed", `${what} is not an array`)
    return NO_MESSAGES
  }

  text(value: unknown, what: string, limitBytes = NAME_LIMIT_BYTES): string {
    const text = this.#scalar(this.scalars.text, value, "", what, "text")
    const kept = cutText(text, limitBytes)
    if (kept.length < text.length) this.cut("limit_attributes", `${what} longer than ${limitBytes} bytes`)
    return kept
  }

  hexId(value: unknown, what: string): string {
    return this.#scalar(this.scalars.hexId, value, "", what, "hexadecimal text")
  }

  uint32(value: unknown, what: string): number {
    return this.#scalar(this.scalars.uint32, value, 0, what, "an unsigned 32-bit integer")
  }

  enumNumber(value: unknown, what: string): number {
    return this.#scalar(this.scalars.enumNumber, value, 0, what, "an integer")
  }

  time(value: unknown, what: string): Nanoseconds {
    const time = this.#scalar(this.scalars.uint64, value, 0n, what, "an unsigned 64-bit integer")
    if (time > LATEST_TIME) this.fail("invalid", `${what} is after the year 2262`)
    return nanoseconds(time)
  }

  #scalar<Value>(
    read: (value: unknown) => Value | undefined,
    value: unknown,
    absent: Value,
    what: string,
    type: string,
  ): Value {
    if (isAbsent(value)) return absent
    const result = read(value)
    if (result !== undefined) return result
    this.fail("malformed", `${what} is not ${type}`)
    return absent
  }
}

function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null
}
