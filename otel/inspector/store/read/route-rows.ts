import type { Nanoseconds } from "../../../protocol/records/time.ts"
import { type RouteScope, VITALS } from "../../queries/routes/route-reader.ts"
import type { Parameters } from "../clickhouse.ts"
import { storableTime } from "../rows/timestamp.ts"

/** What statements over `pagespan_routes` have in common. */

export function scopeParameters({ from, until, service, hidden = [] }: RouteScope, oldest: Nanoseconds): Parameters {
  const since = storableTime(from)
  return {
    from: String(since > oldest ? since : oldest),
    until: String(storableTime(until)),
    service: service ?? "",
    hidden,
  }
}

/** Within the window and of the service, where one is asked for. */
export const IN_SCOPE = `Timestamp >= fromUnixTimestamp64Nano({from:Int64}) AND Timestamp < fromUnixTimestamp64Nano({until:Int64})
  AND ({service:String} = '' OR ServiceName = {service:String}) AND ServiceName NOT IN {hidden:Array(String)}`

/** Whether it failed itself, or an error was told of its trace. An error can be told a little before its root began to count. */
export const HAS_FAILED = `(IsError OR TraceId IN (SELECT TraceId FROM pagespan_errors
  WHERE TraceId != '' AND Time >= fromUnixTimestamp64Nano({from:Int64})))`

/** Spans are counted by their ids as numbers, which takes half the time that the texts take. */
export const SPAN = "reinterpretAsUInt64(unhex(SpanId))"

/** The half of a trace's id that is random in every scheme of ids: to group by it takes an eighth of what the text takes. */
export const TRACE = "reinterpretAsUInt64(unhex(substring(TraceId, 17)))"

/** Which of the values of a vital stands: the latest final one, or the latest. One number is found faster than a pair. */
export const STANDING = `toUnixTimestamp64Nano(Timestamp) + if(IsFinal, ${2n ** 62n}, 0)`

export const OF_PAGES = "Measure IN ('load', 'navigation')"
export const OF_VITALS = `Measure IN (${VITALS.map((vital) => `'${vital}'`).join(", ")})`

/** Which step of a window a time belongs to. */
export function stepOf(time: string): string {
  return `toInt32(intDiv(toUnixTimestamp64Milli(${time}) - {stepsFrom:Int64}, {step:Int64}))`
}
