import type { TraceId } from "../../../../protocol/records/ids.ts"
import type { TimeSteps } from "../../../queries/list/trace-overview.ts"
import type { ActivityScope } from "../../../queries/list/trace-reader.ts"
import type { ServiceDetail, ServiceTrace, ServiceTrend } from "../../../queries/services/service-reader.ts"
import { fromNanosText } from "../../rows/stored-values.ts"
import { stepSql } from "../bars.ts"
import { type ReadContext, readLimits, SqlBuilder } from "../context.ts"
import { entriesSql, serviceWindow, type ServiceWindow, TIMES } from "./service-sql.ts"

/** Operations at most: the most frequent. */
const OPERATIONS = 100
const TRACES = 10
/** The steps of a window are fewer. */
const STEPS = 1_000
const LIMITS = readLimits({ seconds: 10, rows: 2 * STEPS })

/** One of an operation or of a step. */
interface Row {
  readonly isStep: boolean
  readonly name: string
  readonly step: number
  readonly count: number
  readonly failed: number
  readonly times: readonly [number, number]
}

export async function readService(
  context: ReadContext,
  service: string,
  query: ActivityScope,
  steps: TimeSteps,
): Promise<ServiceDetail> {
  const window = await serviceWindow(context, query, steps, new SqlBuilder(context))
  const sql = new SqlBuilder(context)
  const [rows, slowest, failing] = await Promise.all([
    context.clickhouse.select<Row>(
      `SELECT grouping(name) = 1 AS isStep, toString(name) AS name, step, toUInt32(count()) AS count,
        toUInt32(countIf(hasFailed)) AS failed, ${TIMES} AS times
      FROM (
        SELECT name, length, hasFailed, ${stepSql("began", steps, sql)} AS step
        FROM (${entriesSql(context, window, sql, service)})
      )
      GROUP BY GROUPING SETS ((name), (step))
      ORDER BY isStep, count DESC, name LIMIT ${STEPS} BY isStep ${LIMITS}`,
      sql.parameters,
    ),
    readTraces(context, window, service, "ORDER BY length DESC"),
    readTraces(context, window, service, "WHERE hasFailed ORDER BY began DESC"),
  ])
  const operations = rows.filter(({ isStep }) => !isStep).slice(0, OPERATIONS)
  return {
    operations: operations.map(({ name, count, failed, times: [p50, p95] }) => ({ name, count, failed, p50, p95 })),
    trend: trendOf(
      rows.filter(({ isStep }) => isStep),
      steps,
    ),
    slowest,
    failing,
  }
}

function trendOf(rows: readonly Row[], steps: TimeSteps): ServiceTrend {
  const at = new Map(rows.map((row) => [row.step, row]))
  const each = <T>(of: (row: Row | undefined) => T) =>
    Array.from({ length: steps.count }, (_, index) => of(at.get(index)))
  return {
    count: each((row) => row?.count ?? 0),
    failed: each((row) => row?.failed ?? 0),
    p50: each((row) => row?.times[0] ?? null),
    p95: each((row) => row?.times[1] ?? null),
  }
}

interface TraceRow {
  readonly traceId: string
  readonly spanId: string
  readonly operation: string
  readonly start: string
  readonly value: number
  readonly failed: boolean
}

/** As `listServices` counts them. It reads the spans of all services: the parent of an entry is another one's. */
export async function listIncompleteTraces(
  context: ReadContext,
  service: string,
  query: ActivityScope,
  steps: TimeSteps,
): Promise<readonly ServiceTrace[]> {
  const window = await serviceWindow(context, query, steps, new SqlBuilder(context))
  const sql = new SqlBuilder(context)
  const order = `WHERE service = ${sql.bind(service)} AND isOrphan ORDER BY began DESC`
  return readTraces(context, window, undefined, order, sql)
}

/** @param order a `WHERE` and an `ORDER BY`. */
async function readTraces(
  context: ReadContext,
  window: ServiceWindow,
  service: string | undefined,
  order: string,
  sql = new SqlBuilder(context),
): Promise<ServiceTrace[]> {
  const rows = await context.clickhouse.select<TraceRow>(
    `SELECT trace AS traceId, span AS spanId, toString(name) AS operation,
      toString(toUnixTimestamp64Nano(began)) AS start, length / 1000000 AS value, hasFailed AS failed
    FROM (${entriesSql(context, window, sql, service)}) ${order} LIMIT 1 BY trace LIMIT ${TRACES} ${LIMITS}`,
    sql.parameters,
  )
  return rows.map(({ traceId, spanId, operation, start, value, failed }) => ({
    traceId: traceId as TraceId,
    spanId,
    name: operation,
    startTime: fromNanosText(start),
    value,
    failed: Boolean(failed),
  }))
}
