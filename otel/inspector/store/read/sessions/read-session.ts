import { errorTitle } from "../../../../protocol/records/error.ts"
import type { TraceId } from "../../../../protocol/records/ids.ts"
import { nanoseconds } from "../../../../protocol/records/time.ts"
import type { Vital } from "../../../queries/routes/route-reader.ts"
import type { Session, SessionError, SessionView } from "../../../queries/sessions/session-reader.ts"
import { VITAL_SPAN_PREFIX } from "../../../queries/trace/trace-outline.ts"
import { fromNanosText } from "../../rows/stored-values.ts"
import { SERVICE_OF_ROW } from "../../schema/span-tables.ts"
import { type ReadContext, readLimits } from "../context.ts"
import { OF_VITALS, PRECEDENCE, withPagesSql } from "../routes/page-vitals.ts"
import { TABLES } from "../routes/route-sql.ts"

/** Spans with the id that are read: the first of the session. */
const SPANS = 5_000
const ERRORS = 1_000
const SPAN_LIMITS = readLimits({ seconds: 10, rows: SPANS + 1 })
const ERROR_LIMITS = readLimits({ seconds: 10, rows: ERRORS + 1 })
const VITAL_LIMITS = readLimits({ seconds: 10, rows: 10 * SPANS })

/** Has the index of attribute values to find the few rows: no part of the sort key or of the time does. */
const HAS_ID = "SpanAttributes['session.id'] = {sessionId:String}"

export async function readSession(context: ReadContext, sessionId: string): Promise<Session | undefined> {
  // A map returns an empty text for a key that it does not have.
  if (sessionId === "") return undefined
  const spans = await readSpans(context, sessionId)
  const views = viewsOf(spans.slice(0, SPANS))
  const traceIds = [...new Set(views.map(({ traceId }) => traceId))]
  const [vitals, errors] = await Promise.all([
    readVitals(context, views, traceIds),
    readErrors(context, sessionId, traceIds),
  ])
  if (views.length === 0 && errors.length === 0) return undefined
  const measured = measuredViews(views)
  return {
    sessionId,
    views: views.map((view) => ({
      ...view,
      vitals: vitals.get(view.spanId) ?? (measured.has(view.spanId) ? vitals.get(view.traceId) : undefined) ?? {},
    })),
    errors: errors.slice(0, ERRORS),
    isCut: spans.length > SPANS || errors.length > ERRORS,
  }
}

interface SpanRow {
  readonly traceId: string
  readonly spanId: string
  readonly name: string
  readonly route: string
  readonly service: string
  readonly op: string
  readonly start: string
  readonly duration: string
  readonly failed: boolean
}

async function readSpans(context: ReadContext, sessionId: string): Promise<readonly SpanRow[]> {
  return context.clickhouse.select<SpanRow>(
    `SELECT TraceId AS traceId, SpanId AS spanId, SpanName AS name, SpanAttributes['http.route'] AS route,
      ${SERVICE_OF_ROW} AS service, SpanAttributes['sentry.op'] AS op,
      toString(toUnixTimestamp64Nano(Timestamp)) AS start, toString(Duration) AS duration, StatusCode = 'Error' AS failed
    FROM ${context.from("otel_traces")}
    WHERE ${HAS_ID} AND Timestamp >= fromUnixTimestamp64Nano({oldest:Int64})
      AND NOT startsWith(SpanName, '${VITAL_SPAN_PREFIX}')
    ORDER BY Timestamp, Duration DESC LIMIT 1 BY TraceId, SpanId LIMIT ${SPANS + 1} ${SPAN_LIMITS}`,
    { sessionId, oldest: String(context.oldest) },
  )
}

/** Page loads and navigations; of a trace without either, such as of another SDK, the earliest span. */
function viewsOf(rows: readonly SpanRow[]): SessionView[] {
  const isPage = ({ op }: SpanRow) => op === "pageload" || op === "navigation"
  const withPage = new Set(rows.filter(isPage).map(({ traceId }) => traceId))
  const seen = new Set<string>()
  const views = rows.filter((row) => {
    if (withPage.has(row.traceId)) return isPage(row)
    const isFirst = !seen.has(row.traceId)
    seen.add(row.traceId)
    return isFirst
  })
  return views.map(({ traceId, spanId, name, route, service, op, start, duration, failed }) => ({
    kind: op === "pageload" || op === "navigation" ? op : "other",
    traceId: traceId as TraceId,
    spanId,
    name: route || name,
    service,
    startTime: fromNanosText(start),
    duration: nanoseconds(BigInt(duration)),
    failed: Boolean(failed),
    vitals: {},
  }))
}

/**
 * The span ids of the views that the vitals of their traces belong to: the page load, else the first view. In a trace of several
 * pages each has its own.
 */
function measuredViews(views: readonly SessionView[]): ReadonlySet<string> {
  const ofTrace = new Map<string, SessionView>()
  for (const view of views) {
    const known = ofTrace.get(view.traceId)
    if (known === undefined || (known.kind !== "pageload" && view.kind === "pageload")) ofTrace.set(view.traceId, view)
  }
  return new Set([...ofTrace.values()].map(({ spanId }) => spanId))
}

interface VitalRow {
  readonly traceId: string
  /** The page load or navigation; empty if its trace has no other. */
  readonly page: string
  readonly measure: Vital
  readonly value: number
}

const OF_TRACES = "Timestamp >= fromUnixTimestamp64Nano({from:Int64}) AND TraceId IN {traceIds:Array(String)}"

/** The last value of each vital, by page, or by trace where it has only one. A vital is reported at the latest when the visitor leaves. */
async function readVitals(
  context: ReadContext,
  views: readonly SessionView[],
  traceIds: readonly string[],
): Promise<ReadonlyMap<string, SessionView["vitals"]>> {
  const first = views[0]
  if (first === undefined) return new Map()
  const rows = await context.clickhouse.select<VitalRow>(
    `SELECT TraceId AS traceId, measured.Page AS page, toString(Measure) AS measure, argMax(Value, ${PRECEDENCE}) AS value
    FROM ${withPagesSql({ ...TABLES, where: OF_TRACES })} WHERE ${OF_VITALS} AND ${OF_TRACES}
    GROUP BY traceId, page, measure ${VITAL_LIMITS}`,
    { from: String(first.startTime), traceIds },
  )
  const vitals = new Map<string, SessionView["vitals"]>()
  for (const { traceId, page, measure, value } of rows) {
    const key = page || traceId
    vitals.set(key, { ...vitals.get(key), [measure]: value })
  }
  return vitals
}

/** Errors that name the session, and those of its traces. */
async function readErrors(
  context: ReadContext,
  sessionId: string,
  traceIds: readonly string[],
): Promise<SessionError[]> {
  const rows = await context.clickhouse.select<
    Omit<SessionError, "time" | "title"> & { time: string; type: string; value: string }
  >(
    `SELECT EventId AS eventId, IssueId AS issueId, TraceId AS traceId, SpanId AS spanId,
      toString(toUnixTimestamp64Nano(Time)) AS time, Type AS type, substring(Value, 1, 300) AS value, Source AS source
    FROM ${context.from("pagespan_errors")}
    WHERE Time >= fromUnixTimestamp64Nano({oldest:Int64})
      AND (SessionId = {sessionId:String} OR TraceId IN {traceIds:Array(String)})
    ORDER BY Time, EventId LIMIT 1 BY EventId LIMIT ${ERRORS + 1} ${ERROR_LIMITS}`,
    { sessionId, traceIds, oldest: String(context.oldest) },
  )
  return rows.map(({ type, value, time, ...row }) => ({
    ...row,
    time: nanoseconds(fromNanosText(time)),
    title: errorTitle({ type, value }),
  }))
}

/** Reads the seconds of the trace only. */
export async function readSessionsOfTrace(context: ReadContext, traceId: TraceId): Promise<readonly string[]> {
  const times = context.from("otel_traces_trace_id_ts")
  const rows = await context.clickhouse.select<{ id: string }>(
    `SELECT DISTINCT SpanAttributes['session.id'] AS id FROM ${context.from("otel_traces")}
    WHERE TraceId = {traceId:String} AND Timestamp >= fromUnixTimestamp64Nano({oldest:Int64})
      AND Timestamp >= (SELECT toDateTime64(min(Start), 9) FROM ${times} WHERE TraceId = {traceId:String})
      AND Timestamp < (SELECT toDateTime64(max(End), 9) + INTERVAL 1 SECOND FROM ${times} WHERE TraceId = {traceId:String})
      AND SpanAttributes['session.id'] != ''
    LIMIT 2 ${readLimits({ seconds: 5, rows: 2 })}`,
    { traceId, oldest: String(context.oldest) },
  )
  return rows.map(({ id }) => id)
}
