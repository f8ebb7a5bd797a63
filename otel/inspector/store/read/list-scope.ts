import type { Nanoseconds } from "../../../protocol/records/time.ts"
import type { TraceScope } from "../../queries/list/trace-reader.ts"
import type { FilterTree } from "../../search/index.ts"
import { storableTime } from "../rows/timestamp.ts"
import type { Bindings } from "./filter/bindings.ts"

/** Which traces a statement is about, with the retention applied: rows past it may not have been dropped yet. */
export interface ListScope {
  /** Nothing that began before this. */
  readonly since: Nanoseconds
  /** Nothing that began at this time or later. */
  readonly until: Nanoseconds | undefined
  /** A service that all of the traces have: what they can be looked up by. */
  readonly service: string | undefined
  readonly filter: FilterTree | undefined
}

export function listScope(asked: TraceScope, oldest: Nanoseconds): ListScope {
  const { since, until, filter } = asked
  const from = storableTime(since ?? oldest)
  const service = asked.service || serviceOf(filter)
  return {
    since: from > oldest ? from : oldest,
    until: until === undefined ? undefined : storableTime(until),
    service,
    filter: filter && withoutService(service, filter),
  }
}

/** The service that the filter asks of every trace, where it asks for one. */
function serviceOf(filter: FilterTree | undefined): string | undefined {
  if (filter?.is === "and") return filter.nodes.map(serviceOf).find((service) => service !== undefined)
  const where = filter?.is === "some span" ? filter.where : undefined
  return where?.is === "service" && where.text.is === "equal" ? where.text.text : undefined
}

/** What the filter asks of traces that are known to have the service. */
function withoutService(service: string | undefined, filter: FilterTree): FilterTree | undefined {
  if (filter.is !== "and") return service !== undefined && serviceOf(filter) === service ? undefined : filter
  const nodes = filter.nodes.map((node) => withoutService(service, node)).filter((node) => node !== undefined)
  return nodes.length > 1 ? { is: "and", nodes } : nodes[0]
}

/** When the trace began, for a `HAVING`. */
export function startedSql({ since, until }: ListScope, bindings: Bindings): string {
  const from = `min(Timestamp) >= ${timeSql(since, bindings)}`
  return until === undefined ? from : `${from} AND min(Timestamp) < ${timeSql(until, bindings)}`
}

/** Spans of traces that may be of the scope, for a `WHERE`: whether they are is for the `HAVING` to say. */
export function candidatesSql({ since, until, service }: ListScope, bindings: Bindings): string {
  const began = `SELECT TraceId FROM pagespan_starts WHERE Timestamp >= ${timeSql(since, bindings)}`
  const ofService = service === undefined ? "" : ` AND ServiceName = ${bindings.bind(service)}`
  // A service may join a trace that began within the scope after its end.
  const ended = until === undefined || service !== undefined ? "" : ` AND Timestamp < ${timeSql(until, bindings)}`
  return `TraceId IN (${began}${ofService}${ended})`
}

export function timeSql(time: bigint, bindings: Bindings): string {
  return `fromUnixTimestamp64Nano(${bindings.bind(time, "Int64")})`
}
