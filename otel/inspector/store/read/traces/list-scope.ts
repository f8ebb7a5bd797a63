import type { Nanoseconds } from "../../../../protocol/records/time.ts"
import type { ActivityScope, TraceScope } from "../../../queries/list/trace-reader.ts"
import type { FilterTree } from "../../../search/index.ts"
import { storableTime } from "../../rows/stored-values.ts"
import type { SqlBuilder } from "../context.ts"
import { traceSql } from "../filter/trace-sql.ts"

/** The traces that a statement covers, within the retention. */
export interface ListScope {
  /** Traces that began before this are out of scope. */
  readonly since: Nanoseconds
  /** Traces that began at this time or later are out of scope. */
  readonly until: Nanoseconds | undefined
  /** A service that all of the traces have: a statement looks them up by it. */
  readonly service: string | undefined
  readonly filter: FilterTree | undefined
}

export function listScope(query: TraceScope, oldest: Nanoseconds): ListScope {
  const { since, until, filter } = query
  const from = storableTime(since ?? oldest)
  const service = query.service || serviceOf(filter)
  return {
    since: from > oldest ? from : oldest,
    until: until === undefined ? undefined : storableTime(until),
    service,
    filter: filter && withoutService(service, filter),
  }
}

/** The service that the filter requires of every trace, if it requires one. */
function serviceOf(filter: FilterTree | undefined): string | undefined {
  if (filter?.is === "and") return filter.nodes.map(serviceOf).find((service) => service !== undefined)
  const where = filter?.is === "some span" ? filter.where : undefined
  return where?.is === "service" && where.text.is === "equal" ? where.text.text : undefined
}

/** The rest of the filter, for traces that are known to have the service. */
function withoutService(service: string | undefined, filter: FilterTree): FilterTree | undefined {
  if (filter.is !== "and") return service !== undefined && serviceOf(filter) === service ? undefined : filter
  const nodes = filter.nodes.map((node) => withoutService(service, node)).filter((node) => node !== undefined)
  return nodes.length > 1 ? { is: "and", nodes } : nodes[0]
}

/** Whether the trace began within the scope, for a `HAVING`. */
export function startedSql({ since, until }: ListScope, sql: SqlBuilder): string {
  const from = `min(Timestamp) >= ${sql.bindTime(since)}`
  return until === undefined ? from : `${from} AND min(Timestamp) < ${sql.bindTime(until)}`
}

/** Spans of traces that may be in scope, for a `WHERE`; the `HAVING` decides. */
export function candidatesSql({ since, until, service }: ListScope, sql: SqlBuilder): string {
  const began = `SELECT TraceId FROM ${sql.from("pagespan_starts")} WHERE Timestamp >= ${sql.bindTime(since)}`
  const ofService = service === undefined ? "" : ` AND ServiceName = ${sql.bind(service)}`
  // A service may join a trace that began within the scope after the scope's end.
  const ended = until === undefined || service !== undefined ? "" : ` AND Timestamp < ${sql.bindTime(until)}`
  return `TraceId IN (${began}${ofService}${ended})`
}

/** Whether the trace is in scope and matches the filter, for a `HAVING`. */
export function matchingSql(scope: ListScope, sql: SqlBuilder): string {
  const started = startedSql(scope, sql)
  return scope.filter === undefined ? started : `${started} AND ${traceSql(scope.filter, scope.since, sql)}`
}

/** Selects the ids of the traces of the scope. */
export function matchingTracesSql(scope: ListScope, sql: SqlBuilder): string {
  return `SELECT TraceId FROM ${sql.from("pagespan_spans")} WHERE ${candidatesSql(scope, sql)}
    GROUP BY TraceId HAVING ${matchingSql(scope, sql)}`
}

/** Spans of the scope, for a `WHERE`: by their own time, or with a filter those of the matching traces that began in that time. */
export function spansInScopeSql(query: ActivityScope, scope: ListScope, sql: SqlBuilder): string {
  const { withoutServices: services = [] } = query
  const since = `Timestamp >= ${sql.bindTime(scope.since)}`
  const without =
    services.length === 0 ? since : `${since} AND ServiceName NOT IN ${sql.bind(services, "Array(String)")}`
  if (scope.filter !== undefined || scope.service !== undefined)
    return `${without} AND TraceId IN (${matchingTracesSql(scope, sql)})`
  return scope.until === undefined ? without : `${without} AND Timestamp < ${sql.bindTime(scope.until)}`
}
