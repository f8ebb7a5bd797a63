import type { SpanKind, StatusCode } from "../../../protocol/records/span.ts"
import { nanoseconds, type Nanoseconds } from "../../../protocol/records/time.ts"

/** How the tables hold times, span kinds and status codes. */

/**
 * Times as ClickHouse parses them: exact text of seconds and nanoseconds. The store holds the years 1970 to 2099, and a
 * time outside as the nearest one inside. (`DateTime`, which a TTL uses, overflows in 2106.)
 */

const NANOS_PER_SECOND = 1_000_000_000n
export const LATEST_TIME = nanoseconds(4_102_444_800n * NANOS_PER_SECOND - 1n)
const UINT64_MAX = 2n ** 64n - 1n

export function storableTime(time: Nanoseconds): Nanoseconds {
  if (time < 0n) return nanoseconds(0n)
  return time > LATEST_TIME ? LATEST_TIME : time
}

/** For example `1763000000.123456789`. Ten digits distinguish seconds from a date. */
export function toTimestampText(time: Nanoseconds): string {
  const stored = storableTime(time)
  const seconds = String(stored / NANOS_PER_SECOND).padStart(10, "0")
  return `${seconds}.${String(stored % NANOS_PER_SECOND).padStart(9, "0")}`
}

/** Nanoseconds between the stored times; 0 if the end is before the start. */
export function storableDuration(start: Nanoseconds, end: Nanoseconds): bigint {
  const length = end - storableTime(start)
  if (length <= 0n) return 0n
  return length > UINT64_MAX ? UINT64_MAX : length
}

export function fromNanosText(text: string): Nanoseconds {
  return nanoseconds(BigInt(text))
}

/** The collector's exporter stores span kind and status code by these names. */

const KIND_NAMES: Readonly<Record<SpanKind, string>> = {
  unspecified: "Unspecified",
  internal: "Internal",
  server: "Server",
  client: "Client",
  producer: "Producer",
  consumer: "Consumer",
}

const STATUS_NAMES: Readonly<Record<StatusCode, string>> = { unset: "Unset", ok: "Ok", error: "Error" }

const KINDS = new Map(Object.entries(KIND_NAMES).map(([kind, name]) => [name, kind as SpanKind]))
const STATUSES = new Map(Object.entries(STATUS_NAMES).map(([code, name]) => [name, code as StatusCode]))

export function kindName(kind: SpanKind): string {
  return KIND_NAMES[kind]
}

export function statusName(code: StatusCode): string {
  return STATUS_NAMES[code]
}

export function kindOfName(name: string): SpanKind {
  return KINDS.get(name) ?? "unspecified"
}

export function statusOfName(name: string): StatusCode {
  return STATUSES.get(name) ?? "unset"
}
