import { nanoseconds, type Nanoseconds } from "../../../protocol/records/time.ts"
import { type Run, RUN_LIMIT, type RunCopy } from "../../queries/list/run.ts"
import { parseFilter } from "../../search/index.ts"
import type { ClickHouse } from "../clickhouse.ts"
import { Bindings } from "../read/filter/bindings.ts"
import { traceSql } from "../read/filter/trace-sql.ts"
import { readLimits } from "../read/limits.ts"
import { candidatesSql, listScope, type ListScope, startedSql } from "../read/list-scope.ts"
import { fromNanosText, toTimestampText } from "../rows/timestamp.ts"
import { insertRows } from "../write/insert.ts"
import { RETAINED_COPIES, RETAINED_TABLES, RETAINED_TIMES, runLiteral } from "./retained-tables.ts"

const LIMITS = readLimits({ seconds: 5, rows: RUN_LIMIT * 2 })

/** What has been copied of each run. A copy that was recorded twice counts once. */
export async function listCopies(clickhouse: ClickHouse): Promise<readonly Omit<RunCopy, "isFull">[]> {
  const rows = await clickhouse.select<{ run: string; to: string; traces: string; spans: string }>(
    `SELECT Run AS run, toString(toUnixTimestamp64Nano(max(CopiedTo))) AS to, toString(sum(Traces)) AS traces,
      toString(sum(Spans)) AS spans
    FROM (SELECT * FROM ${RETAINED_COPIES} LIMIT 1 BY Run, CopiedTo) GROUP BY Run ${LIMITS}`,
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
  for (const table of [...RETAINED_TABLES.map(({ kept }) => kept), RETAINED_COPIES])
    await clickhouse.run(`ALTER TABLE ${table} DROP PARTITION ${runLiteral(run)}`)
}

/**
 * Copies the traces of a run to where no age takes them, from where the last copy ended. Whole traces, in slices of time:
 * what a slice holds is written before it is recorded, so one that was cut off is copied again, and readers take each row
 * once.
 */

/** Spans of one slice: some seconds of work, and no more memory than an ordinary insert. A larger trace is one of its own. */
const SLICE_SPANS = 100_000
const COPY_LIMITS = readLimits({ seconds: 25, rows: 1 })
/** Rows that travel at once: wide ones, and 10 MB of them take the engine 350 MB. */
const COPY_SETTINGS = `SETTINGS max_execution_time = 25, max_threads = 1, max_block_size = 4096,
  min_insert_block_size_rows = 8192, min_insert_block_size_bytes = 8388608, async_insert = 0,
  distributed_product_mode = 'local', log_comment = 'pagespan'`

interface Slice {
  readonly from: Nanoseconds
  readonly to: Nanoseconds
  readonly traces: number
  readonly spans: number
}

interface Copied {
  readonly spans: number
  /** There was no room for the next traces: they are copied when there is again. */
  readonly isFull: boolean
}

/**
 * Copies traces that began before `upTo`, as many as there is room for.
 *
 * @param room spans that may still be kept.
 */
export async function copyRun(
  clickhouse: ClickHouse,
  run: Run,
  copy: Pick<RunCopy, "copiedTo"> | undefined,
  { upTo, room }: { readonly upTo: Nanoseconds; readonly room: number },
): Promise<Copied> {
  const end = run.until !== undefined && run.until < upTo ? run.until : upTo
  let from = copy !== undefined && copy.copiedTo > run.since ? copy.copiedTo : run.since
  let left = room
  while (from < end) {
    const slice = await nextSlice(clickhouse, run, from, end)
    if (slice.spans > left) return { spans: room - left, isFull: true }
    if (slice.traces > 0) await copySlice(clickhouse, run, slice)
    await record(clickhouse, run, slice)
    left -= slice.spans
    from = slice.to
  }
  return { spans: room - left, isFull: false }
}

/** The first traces from a time on that make a slice. */
async function nextSlice(clickhouse: ClickHouse, run: Run, from: Nanoseconds, to: Nanoseconds): Promise<Slice> {
  const bindings = new Bindings()
  const [row] = await clickhouse.select<{ traces: string; spans: string; all: string; last: string }>(
    `SELECT toString(countIf(isIn)) AS traces, toString(sumIf(spans, isIn)) AS spans, toString(count()) AS all,
      toString(toUnixTimestamp64Nano(maxIf(began, isIn))) AS last
    FROM (
      SELECT began, spans, sum(spans) OVER (ORDER BY began, id) <= ${SLICE_SPANS} OR began = min(began) OVER () AS isIn
      FROM (
        SELECT TraceId AS id, min(Timestamp) AS began, uniqExact(SpanId) AS spans
        FROM pagespan_spans WHERE ${tracesSql(run, from, to, bindings)}
      )
    ) ${COPY_LIMITS}`,
    bindings.values,
  )
  const traces = Number(row?.traces ?? 0)
  const isAll = row === undefined || row.traces === row.all
  return { from, to: isAll ? to : nanoseconds(fromNanosText(row.last) + 1n), traces, spans: Number(row?.spans ?? 0) }
}

/** Their times first: the other tables' rows are found by the ids that are in them. */
async function copySlice(clickhouse: ClickHouse, run: Run, { from, to }: Slice): Promise<void> {
  const name = runLiteral(run.name)
  const bindings = new Bindings()
  await clickhouse.run(
    `INSERT INTO ${RETAINED_TIMES} (Run, TraceId, Start, End)
    SELECT ${name}, TraceId, toDateTime(min(Timestamp)), toDateTime(max(Timestamp))
    FROM pagespan_spans WHERE ${tracesSql(run, from, to, bindings)} ${COPY_SETTINGS}`,
    bindings.values,
  )
  for (const { table, kept, columns, time } of RETAINED_TABLES) {
    if (kept === RETAINED_TIMES) continue
    // No span is older than its trace. What is told of a trace, like its errors, may be.
    const since =
      time === "Timestamp" && table !== "pagespan_logs" ? "Timestamp >= toDateTime64({from:UInt32}, 9) AND" : ""
    await clickhouse.run(
      `INSERT INTO ${kept} (Run, ${columns.join(", ")}) SELECT ${name}, ${columns.join(", ")} FROM ${table}
      WHERE ${since} TraceId GLOBAL IN (
        SELECT TraceId FROM ${RETAINED_TIMES}
        WHERE Run = ${name} AND Start >= toDateTime({from:UInt32}) AND Start <= toDateTime({to:UInt32})
      ) ${COPY_SETTINGS}`,
      { from: second(from), to: second(to) },
    )
  }
}

function second(time: Nanoseconds): string {
  return String(time / 1_000_000_000n)
}

async function record(clickhouse: ClickHouse, run: Run, { to, traces, spans }: Slice): Promise<void> {
  const row = { Run: run.name, CopiedTo: toTimestampText(to), Traces: traces, Spans: spans }
  await insertRows(clickhouse, { table: RETAINED_COPIES, batchId: `kept ${run.name} ${to}`, rows: [row] })
}

/** The end of a statement about the traces of a run that began in a slice, one group each. */
function tracesSql(run: Run, since: Nanoseconds, until: Nanoseconds, bindings: Bindings): string {
  const { tree: filter } = parseFilter(run.filter)
  const scope: ListScope = listScope({ since, until, filter }, nanoseconds(0n))
  const passes = filter === undefined ? "" : `AND ${traceSql(filter, scope.since, bindings)}`
  return `${candidatesSql(scope, bindings)} GROUP BY TraceId HAVING ${startedSql(scope, bindings)} ${passes}`
}
