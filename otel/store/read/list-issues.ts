import { errorTitle, type ErrorLevel } from "../../model/error-event.ts"
import type { TraceId } from "../../model/ids.ts"
import type { Issue, IssueDetail, IssueList, IssueListQuery } from "../../model/issue.ts"
import type { SpanSource } from "../../model/span.ts"
import { nanoseconds, type Nanoseconds } from "../../model/time.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { ERROR_ROW_COLUMNS, type ErrorRow, toErrorEvent } from "../rows/error-row.ts"
import { fromNanosText, LATEST_TIME, storableTime } from "../rows/timestamp.ts"
import { readLimits } from "./limits.ts"

/** Issues in a page at most. */
const PAGE_LIMIT = 1_000
/** Events that an issue is read with, the newest. */
const EVENT_LIMIT = 100
const LIMITS = readLimits({ seconds: 10, rows: PAGE_LIMIT + 1 })

interface IssueRow {
  readonly issueId: string
  readonly type: string
  readonly value: string
  readonly level: string
  readonly transaction: string
  readonly count: string
  readonly firstSeen: string
  readonly lastSeen: string
  readonly lastTraceId: string
  readonly services: readonly string[]
  readonly sources: readonly string[]
}

/** An event that was stored twice counts once (`uniqExact`). */
const ISSUE_COLUMNS = `
  IssueId AS issueId, argMax(Type, (Time, EventId)) AS type, argMax(Value, (Time, EventId)) AS value,
  argMax(Level, (Time, EventId)) AS level, argMax(Transaction, (Time, EventId)) AS transaction,
  toString(uniqExact(EventId)) AS count,
  toString(toUnixTimestamp64Nano(min(Time))) AS firstSeen, toString(toUnixTimestamp64Nano(max(Time))) AS lastSeen,
  argMaxIf(TraceId, (Time, EventId), TraceId != '') AS lastTraceId,
  arraySort(groupUniqArray(ServiceName)) AS services, arraySort(groupUniqArray(Source)) AS sources`

/** Issues, what was seen last first; their counts are those within the retention, which begins at `oldest`. */
export async function listIssues(
  clickhouse: ClickHouse,
  query: IssueListQuery,
  oldest: Nanoseconds,
): Promise<IssueList> {
  const limit = Math.min(Math.max(1, Math.trunc(query.limit)), PAGE_LIMIT)
  const after = query.after === undefined ? undefined : fromCursor(query.after)
  const rows = await clickhouse.select<IssueRow>(
    `SELECT ${ISSUE_COLUMNS} FROM pagespan_errors
    WHERE Time >= ${time("oldest")} AND ({service:String} = '' OR ServiceName = {service:String})
    GROUP BY IssueId
    HAVING max(Time) >= ${time("since")} AND (max(Time), IssueId) < (${time("afterTime")}, {afterId:String})
    ORDER BY max(Time) DESC, IssueId DESC LIMIT {limit:UInt32} ${LIMITS}`,
    {
      oldest: String(oldest),
      since: String(storableTime(query.since ?? oldest)),
      service: query.service ?? "",
      afterTime: String(after?.lastSeen ?? LATEST_TIME),
      afterId: after?.issueId ?? "~",
      limit: limit + 1,
    },
  )
  const issues = rows.slice(0, limit).map(toIssue)
  const end = issues.at(-1)
  return { issues, next: rows.length > limit && end ? toCursor(end) : undefined }
}

/** `undefined` where no event of it is known. */
export async function readIssue(
  clickhouse: ClickHouse,
  issueId: string,
  oldest: Nanoseconds,
): Promise<IssueDetail | undefined> {
  const parameters = { issueId, oldest: String(oldest) }
  const where = `FROM pagespan_errors WHERE IssueId = {issueId:String} AND Time >= ${time("oldest")}`
  const [issues, events] = await Promise.all([
    clickhouse.select<IssueRow>(`SELECT ${ISSUE_COLUMNS} ${where} GROUP BY IssueId ${LIMITS}`, parameters),
    clickhouse.select<ErrorRow>(
      `SELECT ${ERROR_ROW_COLUMNS} ${where}
      ORDER BY Time DESC, EventId LIMIT 1 BY EventId LIMIT ${EVENT_LIMIT} ${LIMITS}`,
      parameters,
    ),
  ])
  const [issue] = issues
  return issue === undefined ? undefined : { ...toIssue(issue), events: events.map(toErrorEvent) }
}

function toIssue(row: IssueRow): Issue {
  return {
    issueId: row.issueId,
    title: errorTitle(row),
    count: Number(row.count),
    firstSeen: fromNanosText(row.firstSeen),
    lastSeen: fromNanosText(row.lastSeen),
    lastTraceId: row.lastTraceId === "" ? undefined : (row.lastTraceId as TraceId),
    level: row.level as ErrorLevel,
    transaction: row.transaction,
    services: row.services,
    sources: row.sources as readonly SpanSource[],
  }
}

function time(parameter: string): string {
  return `fromUnixTimestamp64Nano({${parameter}:Int64})`
}

function toCursor({ lastSeen, issueId }: Issue): string {
  return Buffer.from(`${lastSeen}.${issueId}`).toString("base64url")
}

/** `undefined` for what no answer of ours has held. */
function fromCursor(cursor: string): Pick<Issue, "lastSeen" | "issueId"> | undefined {
  const groups = /^(\d{1,19})\.([0-9a-f]{32})$/.exec(Buffer.from(cursor, "base64url").toString())
  if (groups === null) return undefined
  const [, lastSeen = "", issueId = ""] = groups
  return { lastSeen: storableTime(nanoseconds(BigInt(lastSeen))), issueId }
}
