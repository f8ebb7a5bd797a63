import { nanoseconds, type Nanoseconds } from "../../../protocol/records/time.ts"
import { type Run, RUN_LIMIT, type RunCopy } from "../../queries/list/run.ts"
import { parseFilter } from "../../search/index.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { PLAIN_PATTERNS, readLimits, SqlBuilder } from "../read/context.ts"
import { candidatesSql, listScope, matchingSql } from "../read/traces/list-scope.ts"
import { fromNanosText, toTimestampText } from "../rows/stored-values.ts"
import { storedColumns } from "../schema/ddl.ts"
import { LOGS, RETAINED, RETAINED_COPIES, RETAINED_TRACE_TIMES } from "../schema/record-tables.ts"
import { OWN_INSERT, SPANS } from "../schema/span-tables.ts"
import { stringLiteral } from "../sql-text.ts"
import { insertRows } from "../writer/insert.ts"

/**
 * Copies the traces of a run to tables without an age, starting where the last copy ended. It copies whole traces, in
 * slices of time, and records a slice once all of it is written: an interrupted slice is copied again, and queries read
 * each row once. A collector's table and its age stay as they are; removing a run drops one partition.
 */

/** Spans of a slice: some seconds of work, and no more memory than an ordinary insert. A larger trace is a slice alone. */
const SLICE_SPANS = 100_000
const LIST_LIMITS = readLimits({ seconds: 5, rows: RUN_LIMIT * 2 })
const SLICE_LIMITS = readLimits({ seconds: 25, rows: 1 })
/** Limits the rows in memory: they are wide, and 10 MB of them take the engine 350 MB. */
const COPY_SETTINGS = `SETTINGS max_execution_time = 25, max_threads = 1, max_block_size = 4096,
  min_insert_block_size_rows = 8192, min_insert_block_size_bytes = 8388608, async_insert = 0,
  distributed_product_mode = 'local', ${PLAIN_PATTERNS}, log_comment = '${OWN_INSERT}'`

/** How much of each run has been copied. A slice that was recorded twice counts once. */
export async function listCopies(clickhouse: ClickHouse): Promise<readonly Omit<RunCopy, "isFull">[]> {
  const rows = await clickhouse.select<{ run: string; to: string; traces: string; spans: string }>(
    `SELECT Run AS run, toString(toUnixTimestamp64Nano(max(CopiedTo))) AS to, toString(sum(Traces)) AS traces,
      toString(sum(Spans)) AS spans
    FROM (SELECT * FROM ${RETAINED_COPIES.name} LIMIT 1 BY Run, CopiedTo) GROUP BY Run ${LIST_LIMITS}`,
  )
  return rows.map(({ run, to, traces, spans }) => ({
    run,
    copiedTo: fromNanosText(to),
    traces: Number(traces),
    spans: Number(spans),
  }))
}

/** Deletes the copies of a run. Its traces expire like all others from then on. */
export async function dropCopies(clickhouse: ClickHouse, run: string): Promise<void> {
  for (const { name } of [...RETAINED.map(({ retained }) => retained), RETAINED_COPIES])
    // A partition cannot be a bound parameter.
    await clickhouse.run(`ALTER TABLE ${name} DROP PARTITION ${stringLiteral(run)}`)
}

/** Traces that began in a span of time. */
interface Slice {
  readonly from: Nanoseconds
  readonly to: Nanoseconds
  readonly traces: number
  readonly spans: number
}

interface Copied {
  readonly spans: number
  /** The next traces exceed the room: a later call copies them once there is room. */
  readonly isFull: boolean
}

/**
 * Copies traces that began before `upTo`, as many as there is room for.
 *
 * @param copy how much of the run has been copied, if anything.
 * @param options `room` is the number of spans that may still be copied.
 */
export async function copyRun(
  clickhouse: ClickHouse,
  run: Run,
  copy: Pick<RunCopy, "copiedTo"> | undefined,
  options: { readonly upTo: Nanoseconds; readonly room: number },
): Promise<Copied> {
  const { upTo, room } = options
  const end = run.until !== undefined && run.until < upTo ? run.until : upTo
  let from = copy !== undefined && copy.copiedTo > run.since ? copy.copiedTo : run.since
  let rest = room
  while (from < end) {
    const slice = await nextSlice(clickhouse, run, from, end)
    if (slice.spans > rest) return { spans: room - rest, isFull: true }
    if (slice.traces > 0) await copySlice(clickhouse, run, slice)
    await recordSlice(clickhouse, run, slice)
    rest -= slice.spans
    from = slice.to
  }
  return { spans: room - rest, isFull: false }
}

/** The first traces after a time that make up a slice. */
async function nextSlice(clickhouse: ClickHouse, run: Run, from: Nanoseconds, to: Nanoseconds): Promise<Slice> {
  const sql = newSql()
  const [row] = await clickhouse.select<{ traces: string; spans: string; all: string; last: string }>(
    `SELECT toString(countIf(isIn)) AS traces, toString(sumIf(spans, isIn)) AS spans, toString(count()) AS all,
      toString(toUnixTimestamp64Nano(maxIf(began, isIn))) AS last
    FROM (
      SELECT began, spans, sum(spans) OVER (ORDER BY began, id) <= ${SLICE_SPANS} OR began = min(began) OVER () AS isIn
      FROM (
        SELECT TraceId AS id, min(Timestamp) AS began, uniqExact(SpanId) AS spans
        FROM ${SPANS.name} WHERE ${tracesSql(run, from, to, sql)}
      )
    ) ${SLICE_LIMITS}`,
    sql.parameters,
  )
  const traces = Number(row?.traces ?? 0)
  const isAll = row === undefined || row.traces === row.all
  return { from, to: isAll ? to : nanoseconds(fromNanosText(row.last) + 1n), traces, spans: Number(row?.spans ?? 0) }
}

/** Copies the traces' times first: the ids in them select the rows of the other tables. */
async function copySlice(clickhouse: ClickHouse, run: Run, { from, to }: Slice): Promise<void> {
  const name = stringLiteral(run.name)
  const sql = newSql()
  await clickhouse.run(
    `INSERT INTO ${RETAINED_TRACE_TIMES.name} (Run, TraceId, Start, End)
    SELECT ${name}, TraceId, toDateTime(min(Timestamp)), toDateTime(max(Timestamp))
    FROM ${SPANS.name} WHERE ${tracesSql(run, from, to, sql)} ${COPY_SETTINGS}`,
    sql.parameters,
  )
  for (const { source, retained } of RETAINED) {
    if (retained === RETAINED_TRACE_TIMES) continue
    // No span begins before its trace. Errors and logs may.
    const isOfSpans = source.time === "Timestamp" && source !== LOGS
    const since = isOfSpans ? "Timestamp >= toDateTime64({from:UInt32}, 9) AND" : ""
    const columns = storedColumns(source).join(", ")
    await clickhouse.run(
      `INSERT INTO ${retained.name} (Run, ${columns}) SELECT ${name}, ${columns} FROM ${source.name}
      WHERE ${since} TraceId GLOBAL IN (
        SELECT TraceId FROM ${RETAINED_TRACE_TIMES.name}
        WHERE Run = ${name} AND Start >= toDateTime({from:UInt32}) AND Start <= toDateTime({to:UInt32})
      ) ${COPY_SETTINGS}`,
      { from: seconds(from), to: seconds(to) },
    )
  }
}

async function recordSlice(clickhouse: ClickHouse, run: Run, { to, traces, spans }: Slice): Promise<void> {
  const row = { Run: run.name, CopiedTo: toTimestampText(to), Traces: traces, Spans: spans }
  await insertRows(clickhouse, { table: RETAINED_COPIES.name, batchId: `retained ${run.name} ${to}`, rows: [row] })
}

/** The end of a statement over the traces of a run that began in a slice: one group per trace. */
function tracesSql(run: Run, since: Nanoseconds, until: Nanoseconds, sql: SqlBuilder): string {
  const { tree: filter } = parseFilter(run.filter)
  const scope = listScope({ since, until, filter }, nanoseconds(0n))
  return `${candidatesSql(scope, sql)} GROUP BY TraceId HAVING ${matchingSql({ ...scope, filter }, sql)}`
}

/** Copies come from the expiring tables only. */
function newSql(): SqlBuilder {
  return new SqlBuilder({ from: (table) => table })
}

function seconds(time: Nanoseconds): string {
  return String(time / 1_000_000_000n)
}
