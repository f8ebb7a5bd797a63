import type { Nanoseconds } from "../../../../protocol/records/time.ts"
import type { RouteScope } from "../../../queries/routes/route-reader.ts"
import type { Parameters } from "../../clickhouse.ts"
import { storableTime } from "../../rows/stored-values.ts"
import { SERVICE_OF_ROW } from "../../schema/span-tables.ts"

/** SQL that the statements over `pagespan_routes` share. */

export function scopeParameters({ from, until, service, hidden = [] }: RouteScope, oldest: Nanoseconds): Parameters {
  const since = storableTime(from)
  return {
    from: String(since > oldest ? since : oldest),
    until: String(storableTime(until)),
    service: service ?? "",
    hidden,
  }
}

export const OF_PAGES = "Measure IN ('load', 'navigation')"

/** Within the window, and of the service if the scope names one. */
export const IN_SCOPE = `Timestamp >= fromUnixTimestamp64Nano({from:Int64}) AND Timestamp < fromUnixTimestamp64Nano({until:Int64})
  AND ({service:String} = '' OR ServiceName = {service:String}) AND ServiceName NOT IN {hidden:Array(String)}`

/** Rows of one kind of a route in scope. */
export const OF_KIND = `Measure = {kind:String} AND Route = {route:String} AND ${IN_SCOPE}`

/** An error's time can be slightly before its root span. */
export const ERROR_SLACK_NS = 60_000_000_000n

/** The tables of errors and routes as a statement names them, and the time, as SQL, before which no error counts. */
interface ErrorSources {
  readonly errors: string
  readonly routes: string
  readonly since: string
}

/**
 * Whether a row of `pagespan_routes` failed: its span did, or an error was reported in its trace; of a request, by its own service.
 * An error of a page does not make the requests of the page fail.
 */
export function hasFailedSql(sources: ErrorSources): string {
  return `(IsError OR if(Measure = 'request', (TraceId, ServiceName) IN (SELECT TraceId, ${SERVICE_OF_ROW} FROM ${reportedSql(sources)}),
    (TraceId, SpanId) IN (${pagesWithErrorsSql(sources)})))`
}

function reportedSql({ errors, since }: ErrorSources): string {
  return `${errors} WHERE TraceId != '' AND Time >= ${since}`
}

/**
 * Selects the page loads and navigations with an error. In a trace of several, such as that of a test, an error is of the one that
 * began last before it. The span of the error does not say that: it may be a server's, or none.
 */
function pagesWithErrorsSql(sources: ErrorSources): string {
  const began = "toUnixTimestamp64Nano(page.Timestamp)"
  return `SELECT reported.TraceId, argMax(page.SpanId, if(page.Timestamp <= reported.Time, ${began}, -${began}))
    FROM (SELECT DISTINCT TraceId, Time FROM ${reportedSql(sources)}) AS reported
    INNER JOIN (
      SELECT TraceId, SpanId, Timestamp FROM ${sources.routes}
      WHERE ${OF_PAGES} AND Timestamp >= ${sources.since} AND TraceId IN (SELECT TraceId FROM ${reportedSql(sources)})
    ) AS page ON reported.TraceId = page.TraceId
    GROUP BY reported.TraceId, reported.Time`
}

/** Tables of the statements that read no copies of retained runs. */
export const TABLES = { routes: "pagespan_routes", traces: "otel_traces", errors: "pagespan_errors" } as const

export const HAS_FAILED = hasFailedSql({
  ...TABLES,
  since: `fromUnixTimestamp64Nano(greatest({from:Int64} - ${ERROR_SLACK_NS}, 0))`,
})

/** A span id as a number: counting numbers takes half the time of counting texts. */
export const SPAN = "reinterpretAsUInt64(unhex(SpanId))"

/** The half of a trace id that is random in every id scheme: grouping by it takes an eighth of the time of the text. */
export const TRACE = "reinterpretAsUInt64(unhex(substring(TraceId, 17)))"

/** The step of the window that a time falls into. */
export function stepOf(time: string): string {
  return `toInt32(intDiv(toUnixTimestamp64Milli(${time}) - {stepsFrom:Int64}, {step:Int64}))`
}
