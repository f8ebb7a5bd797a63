import type { Vital, VitalDetail } from "../../query/route-reader.ts"
import type { Steps } from "../../query/time-range.ts"
import { VITAL_MEANINGS } from "../../query/vital-ratings.ts"
import type { ClickHouse, Parameters } from "../clickhouse.ts"
import { readLimits } from "./limits.ts"
import { vitalsSql } from "./list-routes.ts"

const LIMITS = readLimits({ seconds: 10, rows: 20_000 })

const OF_MEASURE = (edge: "good" | "poor") =>
  `transform(measure, [${Object.keys(VITAL_MEANINGS)
    .map((name) => `'${name}'`)
    .join(", ")}], [${Object.values(VITAL_MEANINGS)
    .map((meaning) => meaning[edge].toFixed(3))
    .join(", ")}], 0.)`

/** Each vital of the route's pages, rated by Google's thresholds, in the whole window and at each step. */
export async function readRouteVitals(
  clickhouse: ClickHouse,
  parameters: Parameters,
  steps: Steps,
): Promise<Partial<Record<Vital, VitalDetail>>> {
  const vitals = vitalsSql("AND Route = {route:String}")
  const [totals, trends] = await Promise.all([
    clickhouse.select<{ measure: Vital; p75: number; count: number; good: number; poor: number }>(
      `SELECT measure, quantileExact(0.75)(value) AS p75, toUInt32(count()) AS count,
        toUInt32(countIf(value <= ${OF_MEASURE("good")})) AS good, toUInt32(countIf(value > ${OF_MEASURE("poor")})) AS poor
      FROM (${vitals}) GROUP BY measure ${LIMITS}`,
      parameters,
    ),
    clickhouse.select<{ measure: Vital; step: number; p75: number }>(
      `SELECT measure, toInt32(intDiv(toUnixTimestamp64Milli(time) - {stepsFrom:Int64}, {step:Int64})) AS step,
        quantileExact(0.75)(value) AS p75
      FROM (${vitals}) GROUP BY measure, step ${LIMITS}`,
      parameters,
    ),
  ])
  const details = totals.map(({ measure, p75, count, good, poor }): [Vital, VitalDetail] => {
    const trend = Array.from<number | null>({ length: steps.count }).fill(null)
    for (const row of trends) if (row.measure === measure && row.step in trend) trend[row.step] = row.p75
    return [measure, { p75, count, good, poor, middling: count - good - poor, trend }]
  })
  return Object.fromEntries(details)
}
