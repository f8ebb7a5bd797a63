import { parseTraceId, type TraceId } from "../../model/ids.ts"

/** A place in a list of traces: by the value that the list is ordered by, then by id. */
export interface ListPosition {
  readonly value: bigint
  readonly traceId: TraceId
}

export function toCursor({ value, traceId }: ListPosition): string {
  return Buffer.from(`${value}.${traceId}`).toString("base64url")
}

/** `undefined` for what no answer of ours has held. */
export function fromCursor(cursor: string): ListPosition | undefined {
  const [, value = "", id = ""] = /^(\d{1,19})\.([0-9a-f]{32})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? []
  const traceId = parseTraceId(id)
  return traceId === undefined ? undefined : { value: BigInt(value), traceId }
}
