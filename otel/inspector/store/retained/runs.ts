import { type Run, RUN_LIMIT } from "../../queries/list/run.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { readLimits } from "../read/context.ts"
import { fromNanosText, toTimestampText } from "../rows/stored-values.ts"
import { RUNS } from "../schema/record-tables.ts"
import { insertRows } from "../writer/insert.ts"
import { dropCopies } from "./copies.ts"

/**
 * Retained runs. The newest row of a name is valid, and one with `IsRemoved` hides the run: nothing is ever altered, on
 * one node or on many.
 */

interface RunRow {
  readonly name: string
  readonly filter: string
  readonly since: string
  readonly until: string
}

const LIMITS = readLimits({ seconds: 5, rows: RUN_LIMIT })
/** The `Until` of a run without an end. */
const NO_END = "0000000000.000000000"

/** Retained runs, the latest first. */
export async function listRuns(clickhouse: ClickHouse): Promise<readonly Run[]> {
  const rows = await clickhouse.select<RunRow>(
    `SELECT Name AS name, argMax(Filter, ChangedAt) AS filter,
      toString(toUnixTimestamp64Nano(argMax(Since, ChangedAt))) AS since,
      toString(toUnixTimestamp64Nano(argMax(Until, ChangedAt))) AS until
    FROM ${RUNS.name} GROUP BY Name HAVING NOT argMax(IsRemoved, ChangedAt)
    ORDER BY argMax(Since, ChangedAt) DESC, Name LIMIT ${RUN_LIMIT} ${LIMITS}`,
  )
  return rows.map(({ name, filter, since, until }) => ({
    name,
    filter,
    since: fromNanosText(since),
    until: until === "0" ? undefined : fromNanosText(until),
  }))
}

/** Retains the run, and replaces one of the same name. Deletes that one's copies unless filter and start are the same. */
export async function retainRun(clickhouse: ClickHouse, run: Run, nowMs: number): Promise<void> {
  const former = (await listRuns(clickhouse)).find(({ name }) => name === run.name)
  if (former !== undefined && (former.filter !== run.filter || former.since !== run.since))
    await dropCopies(clickhouse, run.name)
  await insertRun(clickhouse, run, nowMs, false)
}

/** Hides the run, then deletes its copies. */
export async function removeRun(clickhouse: ClickHouse, run: Run, nowMs: number): Promise<void> {
  await insertRun(clickhouse, run, nowMs, true)
  await dropCopies(clickhouse, run.name)
}

async function insertRun(clickhouse: ClickHouse, run: Run, nowMs: number, isRemoved: boolean): Promise<void> {
  const row = {
    Name: run.name,
    Filter: run.filter,
    Since: toTimestampText(run.since),
    Until: run.until === undefined ? NO_END : toTimestampText(run.until),
    IsRemoved: isRemoved,
    ChangedAt: (nowMs / 1_000).toFixed(3),
  }
  await insertRows(clickhouse, { table: RUNS.name, batchId: `run ${run.name} ${nowMs}`, rows: [row] })
}
