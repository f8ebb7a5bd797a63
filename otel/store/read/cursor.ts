import { parseTraceId, type TraceId } from "../../model/ids.ts"
import { nanoseconds, type Nanoseconds } from "../../model/time.ts"

/** A place in the trace list, which runs from the newest start to the oldest, then by id. */
export interface ListPosition {
  readonly start: Nanoseconds
  readonly traceId: TraceId
}

export function toCursor({ start, traceId }: ListPosition): string {
  return Buffer.from(`${start}.${traceId}`).toString("base64url")
}

/** `undefined` for what no answer of ours has held. */
export function fromCursor(cursor: string): ListPosition | undefined {
  const [, start = "", id = ""] = /^(\d{1,20})\.([0-9a-f]{32})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? []
  const traceId = parseTraceId(id)
  return traceId === undefined ? undefined : { start: nanoseconds(BigInt(start)), traceId }
}
