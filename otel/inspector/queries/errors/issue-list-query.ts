import { ERROR_LEVELS } from "../../../protocol/records/error.ts"
import { fromMilliseconds } from "../../../protocol/records/time.ts"
import { fromCursor } from "../list/list-cursor.ts"
import { ParameterReader } from "../list/parameter-reader.ts"
import { parseTimeRange, type TimeRange } from "../list/time-range.ts"
import { ISSUE_ORDERS, type IssueListQuery, type IssueWindow } from "./issue.ts"

/** Issues on a page: by default, and at most. */
const ISSUE_PAGE_SIZE = 50
const ISSUE_PAGE_LIMIT = 1_000

export interface ParsedIssueListQuery {
  readonly query: IssueListQuery
  readonly range: TimeRange
  /** Why `after` is invalid: the notice with which the read API refuses it. */
  readonly refusal: string | undefined
  readonly notices: readonly string[]
}

/** Of a longer time range the change is that of its last day: the range before it is mostly past the retention. */
const CHANGE_LIMIT_MS = 86_400_000

function changeWindow(range: TimeRange): IssueWindow {
  const { fromMs, toMs } = range
  const length = Math.min(toMs - fromMs, CHANGE_LIMIT_MS)
  return {
    before: fromMilliseconds(Math.max(0, toMs - 2 * length)),
    from: fromMilliseconds(toMs - length),
    until: endOf(range),
  }
}

/** Without an end in the URL there is none: the clock of a sender may be ahead. */
function endOf({ until, untilText }: TimeRange): TimeRange["until"] | undefined {
  return untilText === undefined ? undefined : until
}

/** Query parameters of `/errors` and `GET /api/errors`: `q`, `service`, `level`, `handled`, `sort`, `since`, `until`, `limit`, `after`. */
export function parseIssueListQuery(parameters: URLSearchParams, nowMs: number): ParsedIssueListQuery {
  const reader = new ParameterReader(parameters)
  const range = parseTimeRange(reader, nowMs, "7d")
  const handled = reader.oneOf("handled", ["yes", "no"])
  const order = reader.oneOf("sort", ISSUE_ORDERS)
  const query = {
    limit: reader.limit(ISSUE_PAGE_SIZE, ISSUE_PAGE_LIMIT),
    after: reader.cursor((text) => fromCursor(`errors-${order ?? "last"}`, text) !== undefined),
    service: reader.text("service"),
    level: reader.oneOf("level", ERROR_LEVELS),
    handled: handled === undefined ? undefined : handled === "yes",
    search: reader.text("q"),
    order,
    since: range.since === undefined ? undefined : range.from,
    until: endOf(range),
    window: changeWindow(range),
  }
  return { query, range, refusal: reader.refusal, notices: reader.notices }
}
