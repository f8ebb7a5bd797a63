import { RUN_LIMIT, type RunCopy } from "../../model/run.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { readLimits } from "../read/limits.ts"
import { fromNanosText } from "../rows/timestamp.ts"
import { KEPT_COPIES, KEPT_TABLES, runLiteral } from "./kept-tables.ts"

const LIMITS = readLimits({ seconds: 5, rows: RUN_LIMIT * 2 })

/** What has been copied of each run. A copy that was recorded twice counts once. */
export async function listCopies(clickhouse: ClickHouse): Promise<readonly Omit<RunCopy, "isFull">[]> {
  const rows = await clickhouse.select<{ run: string; to: string; traces: string; spans: string }>(
    `SELECT Run AS run, toString(toUnixTimestamp64Nano(max(CopiedTo))) AS to, toString(sum(Traces)) AS traces,
      toString(sum(Spans)) AS spans
    FROM (SELECT * FROM ${KEPT_COPIES} LIMIT 1 BY Run, CopiedTo) GROUP BY Run ${LIMITS}`,
  )
  return rows.map(({ run, to, traces, spans }) => ({
    run,
    copiedTo: fromNanosText(to),
    traces: Number(traces),
    spans: Number(spans),
  }))
}

/** Deletes what is kept of a run: it goes with the age of all else from then on. */
export async function dropCopy(clickhouse: ClickHouse, run: string): Promise<void> {
  for (const table of [...KEPT_TABLES.map(({ kept }) => kept), KEPT_COPIES])
    await clickhouse.run(`ALTER TABLE ${table} DROP PARTITION ${runLiteral(run)}`)
}
