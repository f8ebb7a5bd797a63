import { LOSS_REASONS, LOSS_STAGES } from "../model/loss.ts"
import type { LossQuery } from "./loss-reader.ts"
import { ParameterReader } from "./parameter-reader.ts"
import { parseTimeRange, type TimeRange } from "./time-range.ts"

export const LOSS_PAGE_SIZE = 100
const LOSS_PAGE_LIMIT = 1_000

export interface ParsedLossQuery {
  readonly query: LossQuery
  readonly range: TimeRange
  readonly notices: readonly string[]
}

/** What `/losses` and `GET /api/losses` share: `stage`, `reason`, `since`, `until`, `limit`, `after`. */
export function parseLossQuery(parameters: URLSearchParams, nowMs: number, defaultAge = "24h"): ParsedLossQuery {
  const reader = new ParameterReader(parameters)
  const range = parseTimeRange(reader, nowMs, defaultAge)
  const query = {
    limit: reader.limit(LOSS_PAGE_SIZE, LOSS_PAGE_LIMIT),
    after: reader.cursor(),
    stage: reader.oneOf("stage", LOSS_STAGES),
    reason: reader.read("reason", (text) => LOSS_REASONS.find((reason) => reason === text), "a reason of a loss"),
    from: range.from,
    until: range.until,
  }
  return { query, range, notices: reader.notices }
}
