import type { Nanoseconds } from "../../../protocol/records/time.ts"
import type { AppStart } from "../../queries/list/entry-stats.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { fromNanosText } from "../rows/timestamp.ts"
import { Bindings } from "./filter/bindings.ts"
import { readLimits } from "./limits.ts"
import { timeSql } from "./list-scope.ts"

/** Starts that are read: a list to pick from, the latest first. */
const STARTS = 60
const LIMITS = readLimits({ seconds: 5, rows: STARTS })

type StartRow = Omit<AppStart, "first" | "last"> & { readonly first: string; readonly last: string }

/** Starts of apps that told themselves apart, by what OpenTelemetry's resources say of them. */
export async function appStarts(clickhouse: ClickHouse, oldest: Nanoseconds): Promise<readonly AppStart[]> {
  const bindings = new Bindings()
  const rows = await clickhouse.select<StartRow>(
    `SELECT ServiceName AS service, ResourceAttributes['service.instance.id'] AS instance,
      ResourceAttributes['pagespan.run'] AS run, ResourceAttributes['service.version'] AS version,
      toString(toUnixTimestamp64Nano(min(Timestamp))) AS first, toString(toUnixTimestamp64Nano(max(Timestamp))) AS last,
      toUInt32(uniq(TraceId)) AS traces
    FROM otel_traces WHERE Timestamp >= ${timeSql(oldest, bindings)} AND (instance != '' OR run != '')
    GROUP BY service, instance, run, version ORDER BY max(Timestamp) DESC LIMIT ${STARTS} ${LIMITS}`,
    bindings.values,
  )
  return rows.map((row) => ({ ...row, first: fromNanosText(row.first), last: fromNanosText(row.last) }))
}
