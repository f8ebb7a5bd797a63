import { type ErrorEvent, type ErrorLevel, errorTitle } from "../../../../protocol/records/error.ts"
import type { TraceId } from "../../../../protocol/records/ids.ts"
import type { SpanSource } from "../../../../protocol/records/span.ts"
import { nanoseconds, type Nanoseconds } from "../../../../protocol/records/time.ts"
import type { Issue, IssueDetail, IssueList, IssueListQuery, IssueOrder } from "../../../queries/errors/issue.ts"
import { fromCursor, toCursor } from "../../../queries/list/list-cursor.ts"
import type { Steps } from "../../../queries/list/time-range.ts"
import { ERROR_ROW_COLUMNS, type ErrorRow, toErrorEvent } from "../../rows/error-row.ts"
import { fromNanosText, LATEST_TIME, storableTime } from "../../rows/stored-values.ts"
import { type ReadContext, readLimits } from "../context.ts"

/** Issues of a page at most. */
const PAGE_LIMIT = 1_000
/** Events of an issue at most: the newest. */
const EVENT_LIMIT = 100
const LIMITS = readLimits({ seconds: 10, rows: PAGE_LIMIT + 1 })
const COUNT_LIMITS = readLimits({ seconds: 10, rows: 200_000 })

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
  readonly handled: string
  readonly users: string
  readonly sessions: string
  readonly releases: readonly string[]
  readonly environments: readonly string[]
  readonly services: readonly string[]
  readonly sources: readonly string[]
}

interface ListRow extends IssueRow {
  readonly key: string
  readonly inWindow: number
  readonly beforeWindow: number
}

/** `uniqExact` counts an event that was stored twice once. */
const ISSUE_COLUMNS = `
  IssueId AS issueId, argMax(Type, (Time, EventId)) AS type, argMax(Value, (Time, EventId)) AS value,
  argMax(Level, (Time, EventId)) AS level, argMax(Transaction, (Time, EventId)) AS transaction,
  toString(uniqExact(EventId)) AS count,
  toString(toUnixTimestamp64Nano(min(Time))) AS firstSeen, toString(toUnixTimestamp64Nano(max(Time))) AS lastSeen,
  argMaxIf(TraceId, (Time, EventId), TraceId != '') AS lastTraceId,
  argMaxIf(Handled, (Time, EventId), Handled != '') AS handled,
  toString(uniqExactIf(UserId, UserId != '')) AS users, toString(uniqExactIf(SessionId, SessionId != '')) AS sessions,
  arraySort(groupUniqArrayIf(50)(Release, Release != '')) AS releases,
  arraySort(groupUniqArrayIf(50)(Environment, Environment != '')) AS environments,
  arraySort(groupUniqArray(ServiceName)) AS services, arraySort(groupUniqArray(Source)) AS sources`

/** The sort keys of the list, as integers, largest first. */
const ORDER_KEYS: Readonly<Record<IssueOrder, string>> = {
  last: "toUnixTimestamp64Nano(max(Time))",
  first: "toUnixTimestamp64Nano(min(Time))",
  count: "toInt64(uniqExact(EventId))",
  users: "toInt64(uniqExactIf(UserId, UserId != ''))",
  // A cursor holds no sign.
  change: `1000000000000 + toInt64(${inWindow()}) - toInt64(${beforeWindow()})`,
}

/**
 * Issues, by default the one seen last first. The query selects issues by any of their events; the counts cover all of
 * an issue's events within the retention, or those of the service if the query names one.
 */
export async function listIssues(context: ReadContext, query: IssueListQuery): Promise<IssueList> {
  const limit = Math.min(Math.max(1, Math.trunc(query.limit)), PAGE_LIMIT)
  const { order = "last" } = query
  const after = query.after === undefined ? undefined : fromCursor(`errors-${order}`, query.after)
  const key = ORDER_KEYS[order]
  const rows = await context.clickhouse.select<ListRow>(
    `SELECT ${ISSUE_COLUMNS}, toUInt32(${inWindow()}) AS inWindow, toUInt32(${beforeWindow()}) AS beforeWindow,
      toString(${key}) AS key
    FROM pagespan_errors
    WHERE Time >= ${time("oldest")} AND ({service:String} = '' OR ServiceName = {service:String})
      AND ServiceName NOT IN {hidden:Array(String)}
    GROUP BY IssueId
    HAVING countIf(Time >= ${time("since")} AND Time <= ${time("last")}) > 0
      AND (${key}, IssueId) < ({afterKey:Int64}, {afterId:String})
      AND ({level:String} = '' OR countIf(Level = {level:String}) > 0)
      AND ({handled:String} = '' OR countIf(Handled = {handled:String}) > 0)
      AND ({search:String} = '' OR countIf(positionCaseInsensitiveUTF8(
        concat(Type, ': ', Value, '\\n', Transaction, '\\n', Release), {search:String}) > 0) > 0)
    ORDER BY ${key} DESC, IssueId DESC LIMIT {limit:UInt32} ${LIMITS}`,
    {
      ...timeParameters(context, query),
      service: query.service ?? "",
      hidden: query.hidden ?? [],
      level: query.level ?? "",
      handled: query.handled === undefined ? "" : query.handled ? "yes" : "no",
      search: query.search ?? "",
      afterKey: String(storableTime(nanoseconds(after?.value ?? LATEST_TIME))),
      afterId: after?.id ?? "~",
      limit: limit + 1,
    },
  )
  const page = rows.slice(0, limit)
  const end = page.at(-1)
  return {
    issues: page.map((row) => ({
      ...toIssue(row),
      ...(query.window && { window: { count: row.inWindow, countBefore: row.beforeWindow } }),
    })),
    next:
      rows.length > limit && end ? toCursor(`errors-${order}`, { value: BigInt(end.key), id: end.issueId }) : undefined,
  }
}

/** Returns `undefined` if no event of the issue is stored. */
export async function readIssue(context: ReadContext, issueId: string): Promise<IssueDetail | undefined> {
  const parameters = { issueId, oldest: String(context.oldest) }
  const where = `FROM pagespan_errors WHERE IssueId = {issueId:String} AND Time >= ${time("oldest")}`
  const [issues, events] = await Promise.all([
    context.clickhouse.select<IssueRow>(`SELECT ${ISSUE_COLUMNS} ${where} GROUP BY IssueId ${LIMITS}`, parameters),
    context.clickhouse.select<ErrorRow>(
      `SELECT ${ERROR_ROW_COLUMNS} ${where}
      ORDER BY Time DESC, EventId LIMIT 1 BY EventId LIMIT ${EVENT_LIMIT} ${LIMITS}`,
      parameters,
    ),
  ])
  const [issue] = issues
  return issue === undefined ? undefined : { ...toIssue(issue), events: events.map(toErrorEvent) }
}

/** Returns `undefined` if no such event is stored. Of an id that several issues have, the newest event counts. */
export async function findEvent(
  context: ReadContext,
  eventId: string,
  issueId?: string,
): Promise<ErrorEvent | undefined> {
  const [row] = await context.clickhouse.select<ErrorRow>(
    `SELECT ${ERROR_ROW_COLUMNS} FROM pagespan_errors
    WHERE EventId = {eventId:String} AND ({issueId:String} = '' OR IssueId = {issueId:String}) AND Time >= ${time("oldest")}
    ORDER BY Time DESC LIMIT 1 ${LIMITS}`,
    { eventId, issueId: issueId ?? "", oldest: String(context.oldest) },
  )
  return row && toErrorEvent(row)
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
    handled: row.handled === "" ? undefined : row.handled === "yes",
    users: Number(row.users),
    sessions: Number(row.sessions),
    releases: row.releases,
    environments: row.environments,
    services: row.services,
    sources: row.sources as readonly SpanSource[],
  }
}

/** Events in the window of the query, and in the one before it. */
function inWindow(): string {
  return `uniqExactIf(EventId, Time >= ${time("windowFrom")} AND Time <= ${time("windowLast")})`
}

function beforeWindow(): string {
  return `uniqExactIf(EventId, Time >= ${time("windowBefore")} AND Time < ${time("windowFrom")})`
}

function timeParameters({ oldest }: ReadContext, { since, until, window }: IssueListQuery) {
  return {
    oldest: String(oldest),
    since: timeText(since ?? oldest),
    last: lastBefore(until),
    windowBefore: timeText(window?.before ?? oldest),
    windowFrom: timeText(window?.from ?? oldest),
    windowLast: lastBefore(window?.until),
  }
}

function timeText(moment: Nanoseconds): string {
  return String(storableTime(moment))
}

/** The last time before the end; without one, the latest that the store has. */
function lastBefore(end: Nanoseconds | undefined): string {
  return timeText(end === undefined ? LATEST_TIME : nanoseconds(end - 1n))
}

function time(parameter: string): string {
  return `fromUnixTimestamp64Nano({${parameter}:Int64})`
}

/** Distinct events of each issue in each step. */
export async function countEvents(
  context: ReadContext,
  issueIds: readonly string[],
  steps: Steps,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const rows = await context.clickhouse.select<{ issueId: string; step: number; count: number }>(
    `SELECT IssueId AS issueId, toInt32(intDiv(toUnixTimestamp64Milli(Time) - {from:Int64}, {step:Int64})) AS step,
      toUInt32(uniqExact(EventId)) AS count
    FROM pagespan_errors
    WHERE IssueId IN {issueIds:Array(String)} AND Time >= fromUnixTimestamp64Nano({oldest:Int64})
      AND Time >= fromUnixTimestamp64Milli({from:Int64})
    GROUP BY issueId, step ${COUNT_LIMITS}`,
    { issueIds, from: String(steps.fromMs), step: String(steps.stepMs), oldest: String(context.oldest) },
  )
  const counts = new Map<string, number[]>()
  for (const { issueId, step, count } of rows) {
    const known = counts.get(issueId) ?? Array.from<number>({ length: steps.count }).fill(0)
    if (step in known) known[step] = count
    counts.set(issueId, known)
  }
  return counts
}
