import { nanoseconds, type Nanoseconds } from "../../../../protocol/records/time.ts"
import type { TimeSteps } from "../../../queries/list/trace-overview.ts"
import type { ActivityScope } from "../../../queries/list/trace-reader.ts"
import { VITAL_SPAN_PREFIX } from "../../../queries/trace/trace-outline.ts"
import { SERVICE_OF_ROW } from "../../schema/span-tables.ts"
import { stepSql } from "../bars.ts"
import { type ReadContext, readLimits, type SqlBuilder } from "../context.ts"
import { listScope, type ListScope, matchingTracesSql } from "../traces/list-scope.ts"

/** SQL that the statements about services share. */

/** Spans whose parents a statement looks up, at most. Beyond it, the newest steps of the window are counted. */
const SPAN_LIMIT = 500_000
/** A parent may start this long before the window, and by skewed clocks after it. */
const PARENT_SLACK_NS = 60_000_000_000n
const STEP_LIMITS = readLimits({ seconds: 10, rows: 10_000 })

/** The window within the retention that is counted, and what its traces must match. */
export interface ServiceWindow {
  readonly from: Nanoseconds
  readonly isCut: boolean
  readonly scope: ListScope
  readonly hidden: readonly string[]
}

/** Counts the spans of each step, which reads one column, and ends the window where the limit is reached. */
export async function serviceWindow(
  context: ReadContext,
  query: ActivityScope,
  steps: TimeSteps,
  sql: SqlBuilder,
  limit = SPAN_LIMIT,
): Promise<ServiceWindow> {
  const scope = listScope(query, context.oldest)
  const rows = await context.clickhouse.select<{ step: number; spans: string }>(
    `SELECT ${stepSql("Timestamp", steps, sql)} AS step, toString(count()) AS spans
    FROM ${context.from("otel_traces")} WHERE ${withinSql(scope.since, scope.until, sql)}
    GROUP BY step ORDER BY step DESC ${STEP_LIMITS}`,
    sql.parameters,
  )
  let spans = 0
  const fits = rows.filter((row, index) => (spans += Number(row.spans)) <= limit || index === 0)
  const isCut = fits.length < rows.length
  const first = fits.at(-1)?.step ?? 0
  const start = nanoseconds(steps.from + BigInt(first) * BigInt(steps.stepMs) * 1_000_000n)
  return {
    from: isCut && start > scope.since ? start : scope.since,
    isCut,
    scope,
    hidden: query.withoutServices ?? [],
  }
}

/**
 * Selects the entries of all services, and the service of each one's parent: empty where the parent is not stored, and for a
 * page load, which continues the trace of the server that rendered the page: the server does not call the page. Of one service
 * it selects the entries without their callers: then the parents to look up are those of the service alone, and a parent of
 * another service counts as missing (`isOrphan`). The span that both
 * protocols sent counts once. Web vitals are marks, and no entries.
 */
export function entriesSql(context: ReadContext, window: ServiceWindow, sql: SqlBuilder, service?: string): string {
  const { from, scope, hidden } = window
  const table = context.from("otel_traces")
  const until = scope.until === undefined ? undefined : nanoseconds(scope.until + PARENT_SLACK_NS)
  const before = nanoseconds(from > PARENT_SLACK_NS ? from - PARENT_SLACK_NS : 0n)
  const without = hidden.length === 0 ? undefined : sql.bind(hidden, "Array(String)")
  const isNarrowed = scope.filter !== undefined || scope.service !== undefined
  const ofService = service === undefined ? [] : [ofServiceSql(service, sql)]
  const conditions = [
    withinSql(from, scope.until, sql),
    ...ofService,
    ...(without === undefined ? [] : [`ServiceName NOT IN ${without}`]),
    `NOT startsWith(SpanName, '${VITAL_SPAN_PREFIX}')`,
    ...(isNarrowed ? [`TraceId IN (${matchingTracesSql(scope, sql)})`] : []),
  ]
  return `SELECT trace, span, name, service, began, length, hasFailed, hasParent AND parentService = '' AS isOrphan,
      if(${[...(without === undefined ? [] : [`parentService IN ${without}`]), "isPageLoad"].join(" OR ")}, '', parentService) AS caller
    FROM (
      SELECT TraceId AS trace, SpanId AS span, SpanName AS name, SpanKind AS kind, ${SERVICE_OF_ROW} AS service, Timestamp AS began,
        Duration AS length, cityHash64(TraceId, ParentSpanId) AS parentKey, ParentSpanId != '' AS hasParent,
        StatusCode = 'Error' OR (TraceId, ServiceName) IN (
          SELECT TraceId, ServiceName FROM ${context.from("pagespan_errors")}
          WHERE TraceId != '' AND Time >= ${sql.bindTime(before)}
        ) AS hasFailed,
        (TraceId, SpanId) IN (
          SELECT TraceId, SpanId FROM ${context.from("pagespan_routes")}
          WHERE Measure = 'load' AND ${withinSql(from, scope.until, sql)}
        ) AS isPageLoad
      FROM ${table} WHERE ${conditions.join(" AND ")}
    ) AS child
    LEFT ANY JOIN (
      SELECT cityHash64(TraceId, SpanId) AS spanKey, ${SERVICE_OF_ROW} AS parentService
      FROM ${table} WHERE ${[withinSql(before, until, sql), ...ofService].join(" AND ")}
    ) AS parent ON child.parentKey = parent.spanKey
    WHERE parentService != service OR kind IN ('Server', 'Consumer')
    LIMIT 1 BY trace, span`
}

function ofServiceSql(service: string, sql: SqlBuilder): string {
  const named = `ServiceName = ${sql.bind(service)}`
  return service === "unknown_service" ? `(${named} OR ServiceName = '')` : named
}

function withinSql(from: bigint, until: bigint | undefined, sql: SqlBuilder): string {
  const since = `Timestamp >= ${sql.bindTime(from)}`
  return until === undefined ? since : `${since} AND Timestamp < ${sql.bindTime(until)}`
}

/** Milliseconds at the median and the 95th percentile. */
export const TIMES = "arrayMap(time -> time / 1000000, quantilesExact(0.5, 0.95)(length))"
