import type { Nanoseconds } from "../../../../protocol/records/time.ts"
import type { ActivityScope, TraceScope } from "../../../queries/list/trace-reader.ts"
import type { FilterTree } from "../../../search/index.ts"
import type { SpanTree } from "../../../search/tree.ts"
import { storableTime } from "../../rows/stored-values.ts"
import type { SqlBuilder } from "../context.ts"
import { type SpanTable, tableFor } from "../filter/span-sql.ts"
import { ofTracesWithSql, traceSql } from "../filter/trace-sql.ts"

/**
 * Stands for a trace where a statement counts them all: ids as text can take more memory than the embedded engine has. That
 * two of a million traces have the same hash has a probability below one in ten million.
 */
export const TRACE_HASH = "cityHash64(TraceId)"

/** The traces that a statement covers, within the retention. */
export interface ListScope {
  /** Traces that began before this are out of scope. */
  readonly since: Nanoseconds
  /** Traces that began at this time or later are out of scope. */
  readonly until: Nanoseconds | undefined
  /** All of the traces have a span of such a service: a statement looks them up by it. */
  readonly service: ServiceTest | undefined
  readonly filter: FilterTree | undefined
  /** Whether only the retention bounds the scope. */
  readonly isWhole: boolean
}

/** A certain service, or any but some. */
export type ServiceTest =
  | { readonly is: "equal"; readonly name: string }
  | { readonly is: "other"; readonly names: readonly string[] }

export function listScope(query: TraceScope, oldest: Nanoseconds): ListScope {
  const { since, until, filter } = query
  const from = storableTime(since ?? oldest)
  const tests = query.service ? [{ is: "equal", name: query.service } as const] : serviceTests(filter)
  // A service may join a trace after the scope's end, so the lookup has no end. For most services that would read too much.
  const service = tests.find(({ is }) => is === "equal") ?? (until === undefined ? tests[0] : undefined)
  return {
    since: from > oldest ? from : oldest,
    until: until === undefined ? undefined : storableTime(until),
    service,
    filter: service && filter ? withoutService(service, filter) : filter,
    isWhole: since === undefined && until === undefined,
  }
}

/** The services that the filter requires of every trace. */
function serviceTests(filter: FilterTree | undefined): readonly ServiceTest[] {
  if (filter?.is === "and") return filter.nodes.flatMap(serviceTests)
  const test = filter?.is === "some span" ? serviceTest(filter.where) : undefined
  return test === undefined ? [] : [test]
}

function serviceTest(where: SpanTree): ServiceTest | undefined {
  if (where.is === "service" && where.text.is === "equal") return { is: "equal", name: where.text.text }
  if (where.is !== "not") return undefined
  const services = where.node.is === "or" ? where.node.nodes : [where.node]
  const names = services.flatMap((node) => (node.is === "service" && node.text.is === "equal" ? [node.text.text] : []))
  return names.length > 0 && names.length === services.length ? { is: "other", names } : undefined
}

/** The rest of the filter, for traces that are known to have a span of the service. */
function withoutService(service: ServiceTest, filter: FilterTree): FilterTree | undefined {
  if (filter.is !== "and") return serviceTests(filter).some((test) => implies(service, test)) ? undefined : filter
  const nodes = filter.nodes.map((node) => withoutService(service, node)).filter((node) => node !== undefined)
  return nodes.length > 1 ? { is: "and", nodes } : nodes[0]
}

function implies(service: ServiceTest, test: ServiceTest): boolean {
  if (service.is === "equal")
    return test.is === "equal" ? test.name === service.name : !test.names.includes(service.name)
  return test.is === "other" && test.names.every((name) => service.names.includes(name))
}

/**
 * Spans that the filter requires of every trace, and that this table has to be read for. Traces with a span of the
 * collector's table are looked up before any are grouped, and are often few.
 */
export function requiredSpans(filter: FilterTree | undefined, table: SpanTable = "otel_traces"): readonly SpanTree[] {
  if (filter?.is === "and") return filter.nodes.flatMap((node) => requiredSpans(node, table))
  return filter?.is === "some span" && tableFor(filter.where) === table ? [filter.where] : []
}

export function requiresOnlySpans(filter: FilterTree | undefined): boolean {
  return filter !== undefined && withoutSpans(filter, requiredSpans(filter)) === undefined
}

/** The rest of the filter, for traces that are known to have these spans. */
export function withoutSpans(filter: FilterTree | undefined, spans: readonly SpanTree[]): FilterTree | undefined {
  if (filter?.is !== "and") return filter?.is === "some span" && spans.includes(filter.where) ? undefined : filter
  const nodes = filter.nodes.map((node) => withoutSpans(node, spans)).filter((node) => node !== undefined)
  return nodes.length > 1 ? { is: "and", nodes } : nodes[0]
}

/** Whether a row is of such a service. */
function serviceSql(service: ServiceTest, sql: SqlBuilder): string {
  if (service.is === "equal") return `ServiceName = ${sql.bind(service.name)}`
  return `ServiceName NOT IN ${sql.bind(service.names, "Array(String)")}`
}

/** The same, for a `WHERE` that has other conditions; empty without a service. */
export function ofServiceSql(service: ServiceTest | undefined, sql: SqlBuilder): string {
  return service === undefined ? "" : ` AND ${serviceSql(service, sql)}`
}

/** Whether a span of the trace is of such a service, for a `HAVING`; empty without a service. */
export function hasServiceSql(service: ServiceTest | undefined, sql: SqlBuilder): string {
  return service === undefined ? "" : `max(${serviceSql(service, sql)})`
}

/** Whether the trace began within the scope, for a `HAVING`. */
export function startedSql({ since, until }: Pick<ListScope, "since" | "until">, sql: SqlBuilder): string {
  const from = `min(Timestamp) >= ${sql.bindTime(since)}`
  return until === undefined ? from : `${from} AND min(Timestamp) < ${sql.bindTime(until)}`
}

/** Spans of traces that may be in scope, for a `WHERE`; a `HAVING` with `matchingSql` decides. */
export function candidatesSql(scope: ListScope, sql: SqlBuilder): string {
  const { since, until, service, isWhole } = scope
  const required = requiredSpansSql(scope.filter, since, sql)
  // A span of the scope is of a trace of the scope, or of one that began before it. Most traces are of any but some services.
  if (required.length > 0 && until === undefined && service?.is !== "equal") return required.join(" AND ")
  // The ids of all traces would select every span but those past the retention.
  if (isWhole && service === undefined) return "true"
  const began = `SELECT TraceId FROM ${sql.from("pagespan_starts")} WHERE Timestamp >= ${sql.bindTime(since)}`
  // A service may join a trace that began within the scope after the scope's end.
  const ended = until === undefined || service !== undefined ? "" : ` AND Timestamp < ${sql.bindTime(until)}`
  return [`TraceId IN (${began}${ofServiceSql(service, sql)}${ended})`, ...required].join(" AND ")
}

/** Whether a row is of a trace with the spans that the filter requires, for a `WHERE`. None of them began before `oldest`. */
export function requiredSpansSql(filter: FilterTree | undefined, oldest: bigint, sql: SqlBuilder): string[] {
  return requiredSpans(filter).map((where) => ofTracesWithSql(where, oldest, sql))
}

/** What `requiredSpansSql` leaves of the filter, for a `HAVING`; empty if that is nothing. */
export function restOfFilterSql(filter: FilterTree | undefined, oldest: bigint, sql: SqlBuilder): string {
  const rest = withoutSpans(filter, requiredSpans(filter))
  return rest === undefined ? "" : traceSql(rest, oldest, sql)
}

/** Whether a trace of the candidates is in scope and matches the filter, for a `HAVING`. */
export function matchingSql(scope: ListScope, sql: SqlBuilder): string {
  const rest = restOfFilterSql(scope.filter, scope.since, sql)
  return [startedSql(scope, sql), hasServiceSql(scope.service, sql), rest].filter((each) => each !== "").join(" AND ")
}

/** Selects the ids of the traces of the scope. */
export function matchingTracesSql(scope: ListScope, sql: SqlBuilder): string {
  if (scope.filter === undefined) return `SELECT TraceId ${startedTracesSql(scope, "TraceId", sql)}`
  return `SELECT TraceId FROM ${sql.from("pagespan_spans")} WHERE ${candidatesSql(scope, sql)}
    GROUP BY TraceId HAVING ${matchingSql(scope, sql)}`
}

/**
 * The end of a statement over `pagespan_starts`, with a group for each trace of a scope without a filter: its services, and
 * as the earliest time that of its first span. There are far fewer rows than spans.
 *
 * @param key what groups the rows: the id of the trace or its hash, `TRACE_HASH`, which takes a third of the time.
 */
export function startedTracesSql(scope: ListScope, key: string, sql: SqlBuilder): string {
  const { since, until, service, isWhole } = scope
  const starts = sql.from("pagespan_starts")
  const ended = until === undefined ? "" : ` AND Timestamp < ${sql.bindTime(until)}`
  const inTime = `WHERE TraceId IN (SELECT TraceId FROM ${starts} WHERE Timestamp >= ${sql.bindTime(since)}${ended})`
  const conditions = [startedSql(scope, sql), hasServiceSql(service, sql)].filter((each) => each !== "")
  return `FROM ${starts} ${isWhole ? "" : inTime} GROUP BY ${key} HAVING ${conditions.join(" AND ")}`
}

/** Spans of the scope, for a `WHERE`: by their own time, or with a filter those of the matching traces that began in that time. */
export function spansInScopeSql(query: ActivityScope, scope: ListScope, sql: SqlBuilder): string {
  const { withoutServices: names = [] } = query
  const since = `Timestamp >= ${sql.bindTime(scope.since)}`
  const without = names.length === 0 ? since : `${since}${ofServiceSql({ is: "other", names }, sql)}`
  if (scope.filter !== undefined || scope.service !== undefined)
    return `${without} AND TraceId IN (${matchingTracesSql(scope, sql)})`
  return scope.until === undefined ? without : `${without} AND Timestamp < ${sql.bindTime(scope.until)}`
}
