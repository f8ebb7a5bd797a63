import type { Steps } from "../../queries/list/time-range.ts"
import type { Vital, VitalDetail } from "../../queries/routes/route-reader.ts"
import { VITAL_MEANINGS } from "../../queries/trace/trace-marks.ts"
import type { ClickHouse, Parameters } from "../clickhouse.ts"
import { readLimits } from "./limits.ts"
import { IN_SCOPE, OF_PAGES, OF_VITALS, STANDING, stepOf, TRACE } from "./route-rows.ts"

const LIMITS = readLimits({ seconds: 10, rows: 20_000 })

const OF_MEASURE = (edge: "good" | "poor") =>
  `transform(measure, [${Object.keys(VITAL_MEANINGS)
    .map((name) => `'${name}'`)
    .join(", ")}], [${Object.values(VITAL_MEANINGS)
    .map((meaning) => meaning[edge].toFixed(3))
    .join(", ")}], 0.)`

interface VitalRow {
  readonly measure: Vital
  readonly step: number
  /** Whether it is of the whole window, and not of a step. */
  readonly isTotal: boolean
  readonly p75: number
  readonly count: number
  readonly good: number
  readonly poor: number
}

/** Each vital of the route's pages, rated by Google's thresholds, in the whole window and at each step. */
export async function readRouteVitals(
  clickhouse: ClickHouse,
  parameters: Parameters,
  steps: Steps,
): Promise<Partial<Record<Vital, VitalDetail>>> {
  const rows = await clickhouse.select<VitalRow>(
    `SELECT measure, step, grouping(step) = 1 AS isTotal, quantileExact(0.75)(value) AS p75, toUInt32(count()) AS count,
      toUInt32(countIf(value <= ${OF_MEASURE("good")})) AS good, toUInt32(countIf(value > ${OF_MEASURE("poor")})) AS poor
    FROM (
      SELECT measure, value, ${stepOf("time")} AS step
      FROM (${STANDING_VITALS})
    ) GROUP BY GROUPING SETS ((measure), (measure, step)) ${LIMITS}`,
    parameters,
  )
  const details = rows
    .filter(({ isTotal }) => isTotal)
    .map(({ measure, p75, count, good, poor }): [Vital, VitalDetail] => {
      const trend = Array.from<number | null>({ length: steps.count }).fill(null)
      for (const row of rows)
        if (!row.isTotal && row.measure === measure && row.step in trend) trend[row.step] = row.p75
      return [measure, { p75, count, good, poor, middling: count - good - poor, trend }]
    })
  return Object.fromEntries(details)
}

/** Each vital of each page of the route once. */
const STANDING_VITALS = `SELECT Measure AS measure, argMax(Value, ${STANDING}) AS value, max(Timestamp) AS time
  FROM pagespan_routes WHERE ${OF_VITALS} AND ${IN_SCOPE} AND ${TRACE} IN (
    SELECT ${TRACE} FROM pagespan_routes WHERE ${OF_PAGES} AND Route = {route:String} AND ${IN_SCOPE}
  ) GROUP BY ${TRACE}, measure`
