import type { IssueOrder } from "../errors/issue.ts"
import type { TraceOrder } from "./trace-reader.ts"
import { shownErrorCount, type TraceSummary } from "./trace-summary.ts"

/** A position in a list: the value that the list is ordered by, then the id, 32 hexadecimal digits. */
export interface ListPosition {
  readonly value: bigint
  readonly id: string
}

/** A list, and the value that orders it in either direction. A position is one in that list and that order. */
export type CursorList = `traces-${TraceOrder["by"]}` | `errors-${IssueOrder}` | "events" | "items" | "logs"

/** Runs in pages too, which have no `Buffer`. */
export function toCursor(list: CursorList, { value, id }: ListPosition): string {
  return btoa(`${list}.${value}.${id}`).replaceAll("=", "").replaceAll("+", "-").replaceAll("/", "_")
}

/** The cursor of the page that follows the trace in a list of this order, in either direction. */
export function traceCursor(trace: TraceSummary, by: TraceOrder["by"]): string {
  const values = {
    time: trace.startTime,
    duration: trace.duration,
    spans: BigInt(trace.spanCount),
    errors: BigInt(shownErrorCount(trace)),
  }
  return toCursor(`traces-${by}`, { value: values[by], id: trace.traceId })
}

const CURSOR = /^([a-z-]+)\.(\d{1,19})\.([0-9a-f]{32})$/

/** Returns `undefined` for text that is not a cursor of this list. */
export function fromCursor(list: CursorList, cursor: string): ListPosition | undefined {
  const [, of, digits = "", id = ""] = CURSOR.exec(decoded(cursor)) ?? []
  if (of !== list) return undefined
  const value = BigInt(digits)
  return value === BigInt.asIntN(64, value) ? { value, id } : undefined
}

/** The text of a cursor; empty for text that is not base64. */
function decoded(cursor: string): string {
  try {
    return atob(cursor.replaceAll("-", "+").replaceAll("_", "/"))
  } catch {
    return ""
  }
}
