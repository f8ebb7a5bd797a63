import { DROP_REASONS, DROP_STAGES } from "../../../protocol/records/drop.ts"
import { ParameterReader } from "../list/parameter-reader.ts"
import { parseTimeRange, type TimeRange } from "../list/time-range.ts"
import { fromDropCursor } from "./drop-cursor.ts"
import type { DropQuery } from "./drop-reader.ts"

const DROP_PAGE_SIZE = 100
const DROP_PAGE_LIMIT = 1_000
/** Longer than any retention: for programs, which expect every drop when they name no window. */
export const UNLIMITED_AGE = "36500d"

export interface ParsedDropQuery {
  readonly query: DropQuery
  readonly range: TimeRange
  /** Why `after` is invalid: the notice with which the read API refuses it. */
  readonly refusal: string | undefined
  readonly notices: readonly string[]
}

/** Query parameters of `/dropped` and `GET /api/dropped`: `stage`, `reason`, `since`, `until`, `limit`, `after`. */
export function parseDropQuery(parameters: URLSearchParams, nowMs: number, defaultAge = "24h"): ParsedDropQuery {
  const reader = new ParameterReader(parameters)
  const range = parseTimeRange(reader, nowMs, defaultAge)
  const query = {
    limit: reader.limit(DROP_PAGE_SIZE, DROP_PAGE_LIMIT),
    after: reader.cursor((text) => fromDropCursor(text) !== undefined),
    stage: reader.oneOf("stage", DROP_STAGES),
    reason: reader.read("reason", (text) => DROP_REASONS.find((reason) => reason === text), "a drop reason"),
    from: range.from,
    until: range.until,
  }
  return { query, range, refusal: reader.refusal, notices: reader.notices }
}
