import type { TimeSteps } from "../../../queries/list/trace-overview.ts"
import type { ActivityScope } from "../../../queries/list/trace-reader.ts"
import type { ServiceFigures, ServiceList } from "../../../queries/services/service-reader.ts"
import { type Bars, barsSql, spread } from "../bars.ts"
import { type ReadContext, readLimits, SqlBuilder } from "../context.ts"
import { entriesSql, serviceWindow, TIMES } from "./service-sql.ts"

/** Services at most: the busiest. */
const SERVICES = 500
/** Services and calls that the store groups. */
const ROWS = 5_000
const LIMITS = readLimits({ seconds: 10, rows: 2 * ROWS })

interface Row {
  readonly isTotal: boolean
  readonly service: string
  /** Empty for entries without a known caller. */
  readonly caller: string
  readonly count: number
  readonly failed: number
  readonly times: readonly [number, number]
  readonly traces: number
  readonly incomplete: number
  readonly bars: Bars
}

/** Services and the calls between them, in one pass over the entries. */
export async function listServices(
  context: ReadContext,
  query: ActivityScope,
  steps: TimeSteps,
  spanLimit?: number,
): Promise<ServiceList> {
  const window = await serviceWindow(context, query, steps, new SqlBuilder(context), spanLimit)
  const sql = new SqlBuilder(context)
  const rows = await context.clickhouse.select<Row>(
    `SELECT grouping(caller) = 1 AS isTotal, toString(service) AS service, toString(caller) AS caller,
      toUInt32(count()) AS count, toUInt32(countIf(hasFailed)) AS failed, ${TIMES} AS times,
      toUInt32(uniqExact(trace)) AS traces, toUInt32(uniqExactIf(trace, isOrphan)) AS incomplete,
      ${barsSql("began", steps, sql)} AS bars
    FROM (${entriesSql(context, window, sql)})
    GROUP BY GROUPING SETS ((service), (service, caller))
    ORDER BY isTotal, count DESC, service, caller LIMIT ${ROWS} BY isTotal ${LIMITS}`,
    sql.parameters,
  )
  const all = rows.filter(({ isTotal }) => isTotal)
  const services = all.slice(0, SERVICES).map((row) => ({
    service: row.service,
    ...figuresOf(row),
    traces: row.traces,
    tracesWithMissingParents: row.incomplete,
    bars: spread(row.bars, steps),
  }))
  const listed = new Set(services.map(({ service }) => service))
  const calls = rows
    .filter(({ isTotal, caller, service }) => !isTotal && listed.has(caller) && listed.has(service))
    .map((row) => ({ caller: row.caller, callee: row.service, ...figuresOf(row) }))
  return { services, calls, total: all.length, countedFrom: window.from, isCut: window.isCut }
}

function figuresOf({ count, failed, times: [p50, p95] }: Row): ServiceFigures {
  return { count, failed, p50, p95 }
}
