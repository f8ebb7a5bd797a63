import type { Release } from "../../../queries/compare/compare-reader.ts"
import type { ActivityScope } from "../../../queries/list/trace-reader.ts"
import { fromNanosText } from "../../rows/stored-values.ts"
import { type ReadContext, readLimits, SqlBuilder } from "../context.ts"
import { listScope, spansInScopeSql } from "../traces/list-scope.ts"

const RELEASES = 200
const LIMITS = readLimits({ seconds: 10, rows: RELEASES })

/** What begins something. Most spans do not, and reading their attributes takes long. */
const BEGINS = "(ParentSpanId = '' OR SpanKind IN ('Server', 'Consumer'))"

/** Releases by the `service.version` of the resource, the latest first span first. */
export async function listReleases(
  context: ReadContext,
  query: Pick<ActivityScope, "since" | "until" | "withoutServices">,
): Promise<readonly Release[]> {
  const sql = new SqlBuilder(context)
  const rows = await context.clickhouse.select<{ service: string; release: string; first: string; last: string }>(
    `SELECT toString(ServiceName) AS service, ResourceAttributes['service.version'] AS release,
      toString(toUnixTimestamp64Nano(min(Timestamp))) AS first, toString(toUnixTimestamp64Nano(max(Timestamp))) AS last
    FROM otel_traces WHERE ${spansInScopeSql(query, listScope(query, context.oldest), sql)} AND ${BEGINS} AND release != ''
    GROUP BY service, release ORDER BY min(Timestamp) DESC, service, release LIMIT ${RELEASES} ${LIMITS}`,
    sql.parameters,
  )
  return rows.map((row) => ({ ...row, first: fromNanosText(row.first), last: fromNanosText(row.last) }))
}
