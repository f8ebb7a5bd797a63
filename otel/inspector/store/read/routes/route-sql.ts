import type { Nanoseconds } from "../../../../protocol/records/time.ts"
import { type RouteScope, VITALS } from "../../../queries/routes/route-reader.ts"
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

/** Within the window, and of the service if the scope names one. */
export const IN_SCOPE = `Timestamp >= fromUnixTimestamp64Nano({from:Int64}) AND Timestamp < fromUnixTimestamp64Nano({until:Int64})
  AND ({service:String} = '' OR ServiceName = {service:String}) AND ServiceName NOT IN {hidden:Array(String)}`

/**
 * Whether a row of `pagespan_routes` failed: its span did, or an error was reported in its trace; of a request, by its own service.
 * An error of a page does not make the requests of the page fail.
 *
 * @param errors the table `pagespan_errors` as the statement names it
 * @param since an SQL expression: no error is older
 */
export function hasFailedSql(errors: string, since: string): string {
  const where = `WHERE TraceId != '' AND Time >= ${since}`
  return `(IsError OR if(Measure = 'request', (TraceId, ServiceName) IN (SELECT TraceId, ${SERVICE_OF_ROW} FROM ${errors} ${where}),
    TraceId IN (SELECT TraceId FROM ${errors} ${where})))`
}

export const HAS_FAILED = hasFailedSql("pagespan_errors", "fromUnixTimestamp64Nano({from:Int64})")

/** A span id as a number: counting numbers takes half the time of counting texts. */
export const SPAN = "reinterpretAsUInt64(unhex(SpanId))"

/** The half of a trace id that is random in every id scheme: grouping by it takes an eighth of the time of the text. */
export const TRACE = "reinterpretAsUInt64(unhex(substring(TraceId, 17)))"

/** Orders the values of a vital: the latest final one wins, or the latest. One number sorts faster than a pair. */
export const PRECEDENCE = `toUnixTimestamp64Nano(Timestamp) + if(IsFinal, ${2n ** 62n}, 0)`

export const OF_PAGES = "Measure IN ('load', 'navigation')"
export const OF_VITALS = `Measure IN (${VITALS.map((vital) => `'${vital}'`).join(", ")})`

/** The step of the window that a time falls into. */
export function stepOf(time: string): string {
  return `toInt32(intDiv(toUnixTimestamp64Milli(${time}) - {stepsFrom:Int64}, {step:Int64}))`
}
