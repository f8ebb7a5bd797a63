import { NAME_LIMIT_BYTES } from "../limits.ts"
import type { DropReason, DropTally } from "../records/drop.ts"
import { nanoseconds, type Nanoseconds } from "../records/time.ts"
import { cutText, wellFormed } from "../records/value-limits.ts"

export type RawMessage = Readonly<Record<string, unknown>>

export interface Problem {
  readonly reason: DropReason
  readonly text: string
}

/** ClickHouse and Go represent nanoseconds as a signed 64-bit integer, which ends in the year 2262. */
const LATEST_TIME = 2n ** 63n - 1n

const NOTHING: RawMessage = Object.freeze({})
const NO_MESSAGES: readonly unknown[] = Object.freeze([])

/**
 * Reads the fields of a request in either encoding. A field that is absent or null has protobuf's default. A value of the wrong
 * type is a problem: after each record the caller takes the first problem and rejects the record. A value beyond a limit is
 * truncated and counted, and the record is accepted.
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

  /** Cuts have their own category, so that they do not count as records. */
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

/**
 * The scalar types of the protocol in one encoding. Everything above scalars has the same structure in both encodings, so that
 * one walk reads both. Each function returns `undefined` for a value of another type. Callers handle absent values.
 */
export interface Scalars {
  text(value: unknown): string | undefined
  bool(value: unknown): boolean | undefined
  /** A double, including NaN and the infinities. */
  double(value: unknown): number | undefined
  int64(value: unknown): bigint | undefined
  uint64(value: unknown): bigint | undefined
  uint32(value: unknown): number | undefined
  enumNumber(value: unknown): number | undefined
  /** A copy, since a view would keep the whole request in memory. */
  bytes(value: unknown): Uint8Array | undefined
  /** A trace or span id as hexadecimal text of any length, in either case. It is not validated. */
  hexId(value: unknown): string | undefined
}

/**
 * Scalars of OTLP/JSON: ids are hexadecimal, other bytes base64, enums integers and never names, 64-bit integers text or numbers.
 *
 * @see https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 */

const INTEGER = /^-?\d{1,20}$/
const DECIMAL = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/
const HEX = /^[0-9a-fA-F]*$/
const MAX_INT64 = 2n ** 63n - 1n
const MIN_INT64 = -(2n ** 63n)
const MAX_UINT64 = 2n ** 64n - 1n
const MAX_UINT32 = 2 ** 32 - 1
const MAX_INT32 = 2 ** 31 - 1
const NAMED_DOUBLES: ReadonlyMap<string, number> = new Map([
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
])

export const jsonScalars: Scalars = {
  text: (value) => (typeof value === "string" ? wellFormed(value) : undefined),
  bool: (value) => (typeof value === "boolean" ? value : undefined),
  double(value) {
    if (typeof value === "number") return value
    if (typeof value !== "string") return undefined
    return DECIMAL.test(value) ? Number(value) : NAMED_DOUBLES.get(value)
  },
  int64: (value) => inRange(integer(value), MIN_INT64, MAX_INT64),
  uint64: (value) => inRange(integer(value), 0n, MAX_UINT64),
  uint32(value) {
    const number = typeof value === "string" && INTEGER.test(value) ? Number(value) : value
    return isIntegerWithin(number, 0, MAX_UINT32) ? number : undefined
  },
  enumNumber: (value) => (isIntegerWithin(value, -MAX_INT32 - 1, MAX_INT32) ? value : undefined),
  bytes(value) {
    if (typeof value !== "string" || !BASE64.test(value)) return undefined
    return Uint8Array.from(Buffer.from(value, "base64"))
  },
  hexId: (value) => (typeof value === "string" && HEX.test(value) ? value : undefined),
}

function integer(value: unknown): bigint | undefined {
  if (typeof value === "string") return INTEGER.test(value) ? BigInt(value) : undefined
  return Number.isInteger(value) ? BigInt(value as number) : undefined
}

function inRange(value: bigint | undefined, least: bigint, most: bigint): bigint | undefined {
  return value !== undefined && value >= least && value <= most ? value : undefined
}

function isIntegerWithin(value: unknown, least: number, most: number): value is number {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most
}

/** Scalars as protobufjs decodes them. The decoder has checked the types, so nothing here can fail. */
export const protobufScalars: Scalars = {
  text: (value) => value as string,
  bool: (value) => value as boolean,
  double: (value) => value as number,
  int64: (value) => load(value as Bits).getBigInt64(0),
  uint64: (value) => load(value as Bits).getBigUint64(0),
  uint32: (value) => value as number,
  enumNumber: (value) => value as number,
  bytes: (value) => Uint8Array.from(value as Uint8Array),
  hexId: (value) => (value as Buffer).toString("hex"),
}

/** The two halves of a 64-bit integer, as in protobufjs and `long`. */
interface Bits {
  readonly low: number
  readonly high: number
}

const scratch = new DataView(new ArrayBuffer(8))

/** Four times as fast as shifting and joining two bigints. */
function load({ low, high }: Bits): DataView {
  scratch.setInt32(0, high)
  scratch.setInt32(4, low)
  return scratch
}
