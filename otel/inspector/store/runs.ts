import { type Run, RUN_LIMIT } from "../queries/list/run.ts"
import type { ClickHouse } from "./clickhouse.ts"
import { readLimits } from "./read/limits.ts"
import { dropCopy } from "./retained/copies.ts"
import { fromNanosText, toTimestampText } from "./rows/timestamp.ts"
import { insertRows } from "./write/insert.ts"

/**
 * Runs that were kept. A row replaces the earlier ones of its name, and one that is marked as removed hides them; so
 * nothing is ever altered, on one node or on many.
 */

interface RunRow {
  readonly name: string
  readonly filter: string
  readonly since: string
  readonly until: string
}

const LIMITS = readLimits({ seconds: 5, rows: RUN_LIMIT })

/** Kept runs, the latest first. */
export async function listRuns(clickhouse: ClickHouse): Promise<readonly Run[]> {
  const rows = await clickhouse.select<RunRow>(
    `SELECT Name AS name, argMax(Filter, ChangedAt) AS filter,
      toString(toUnixTimestamp64Nano(argMax(Since, ChangedAt))) AS since,
      toString(toUnixTimestamp64Nano(argMax(Until, ChangedAt))) AS until
    FROM pagespan_runs GROUP BY Name HAVING NOT argMax(IsRemoved, ChangedAt)
    ORDER BY argMax(Since, ChangedAt) DESC, Name LIMIT ${RUN_LIMIT} ${LIMITS}`,
  )
  return rows.map(({ name, filter, since, until }) => ({
    name,
    filter,
    since: fromNanosText(since),
    until: until === "0" ? undefined : fromNanosText(until),
  }))
}

/** Keeps the run, in place of one of the same name. What was copied of another of that name goes. */
export async function retainRun(clickhouse: ClickHouse, run: Run, nowMs: number): Promise<void> {
  const former = (await listRuns(clickhouse)).find(({ name }) => name === run.name)
  if (former !== undefined && (former.filter !== run.filter || former.since !== run.since))
    await dropCopy(clickhouse, run.name)
  await writeRun(clickhouse, run, nowMs, false)
}

/** Hides the run, then deletes what was copied of it. */
export async function removeRun(clickhouse: ClickHouse, run: Run, nowMs: number): Promise<void> {
  await writeRun(clickhouse, run, nowMs, true)
  await dropCopy(clickhouse, run.name)
}

async function writeRun(clickhouse: ClickHouse, run: Run, nowMs: number, isRemoved: boolean): Promise<void> {
  const row = {
    Name: run.name,
    Filter: run.filter,
    Since: toTimestampText(run.since),
    Until: run.until === undefined ? "0000000000.000000000" : toTimestampText(run.until),
    IsRemoved: isRemoved,
    ChangedAt: (nowMs / 1_000).toFixed(3),
  }
  await insertRows(clickhouse, { table: "pagespan_runs", batchId: `run ${run.name} ${nowMs}`, rows: [row] })
}
