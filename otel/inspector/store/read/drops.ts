import type { DropReason, DropRecord } from "../../../protocol/records/drop.ts"
import { nanoseconds, type Nanoseconds } from "../../../protocol/records/time.ts"
import { type DropPosition, fromDropCursor, toDropCursor } from "../../queries/drops/drop-cursor.ts"
import type { DropGroup, DropOverview, DropPage, DropQuery, DropScope } from "../../queries/drops/drop-reader.ts"
import type { Steps } from "../../queries/list/time-range.ts"
import type { Parameters } from "../clickhouse.ts"
import { DROP_ROW_COLUMNS, DROP_SENDER, type DropRow, toDropRecord } from "../rows/drop-row.ts"
import { fromNanosText, LATEST_TIME, storableTime } from "../rows/stored-values.ts"
import { type ReadContext, readLimits } from "./context.ts"

/** Queries of dropped data. */

const PAGE_LIMIT = 1_000
const LIST_LIMIT = 10_000
/** Samples per group. */
const SAMPLES = 3
const LIMITS = readLimits({ seconds: 10, rows: 100_000 })
const LIST_LIMITS = readLimits({ seconds: 10, rows: LIST_LIMIT })

const IN_SCOPE = `Time >= fromUnixTimestamp64Nano({from:Int64}) AND Time < fromUnixTimestamp64Nano({until:Int64})
  AND ({stage:String} = '' OR Stage = {stage:String}) AND ({reason:String} = '' OR Reason = {reason:String})`

const MEASURED = `({stage:String} != '' OR ${DROP_SENDER} = 'inspector')`

/** Batch and position identify a record: one that was stored twice counts once. */
const ONCE = "LIMIT 1 BY Batch, Position"

/** Drops, newest first, in pages that stay stable while more arrive. */
export async function pageDrops(context: ReadContext, query: DropQuery): Promise<DropPage> {
  const limit = Math.min(Math.max(1, Math.trunc(query.limit)), PAGE_LIMIT)
  const after = query.after === undefined ? undefined : fromDropCursor(query.after)
  const rows = await context.clickhouse.select<DropRow & DropPosition>(
    `SELECT ${DROP_ROW_COLUMNS}, Batch AS batch, Position AS position FROM pagespan_dropped
    WHERE ${IN_SCOPE} AND (Time, Batch, Position) < (fromUnixTimestamp64Nano({afterTime:Int64}), {afterBatch:String}, {afterPosition:UInt32})
    ORDER BY Time DESC, Batch DESC, Position DESC ${ONCE} LIMIT {limit:UInt32} ${LIMITS}`,
    {
      ...scopeParameters(query, context.oldest),
      afterTime: String(storableTime(nanoseconds(BigInt(after?.time ?? LATEST_TIME)))),
      // Sorts after every batch id.
      afterBatch: after?.batch ?? "\u{10FFFF}",
      afterPosition: after?.position ?? 0,
      limit: limit + 1,
    },
  )
  const page = rows.slice(0, limit)
  const end = page.at(-1)
  return { drops: page.map(toDropRecord), next: rows.length > limit && end ? toDropCursor(end) : undefined }
}

/** Drops of a window of time, grouped by stage, sender, reason and category, and the trend of the measured ones by reason. */
export async function overviewDrops(context: ReadContext, scope: DropScope, steps: Steps): Promise<DropOverview> {
  const parameters = scopeParameters(scope, context.oldest)
  const once = `(SELECT * FROM pagespan_dropped WHERE ${IN_SCOPE} ${ONCE})`
  const [groups, trend] = await Promise.all([
    context.clickhouse.select<Omit<DropRow, "sample" | "time"> & { last: string; samples: string[] }>(
      `SELECT Stage AS stage, ${DROP_SENDER} AS sender, Reason AS reason, Category AS category, toString(sum(Count)) AS count,
        toString(toUnixTimestamp64Nano(max(Time))) AS last,
        arraySlice(arrayDistinct(arrayMap(drop -> drop.2, arrayReverseSort(groupArrayLast(100)((Time, Sample))))), 1, ${SAMPLES}) AS samples
      FROM ${once} GROUP BY stage, sender, reason, category ORDER BY sum(Count) DESC, stage, reason ${LIMITS}`,
      parameters,
    ),
    context.clickhouse.select<{ reason: DropReason; step: number; count: string }>(
      `SELECT Reason AS reason, toInt32(intDiv(toUnixTimestamp64Milli(Time) - {stepsFrom:Int64}, {step:Int64})) AS step,
        toString(sum(Count)) AS count
      FROM ${once} WHERE ${MEASURED} GROUP BY reason, step ${LIMITS}`,
      { ...parameters, stepsFrom: String(steps.fromMs), step: String(steps.stepMs) },
    ),
  ])
  return {
    groups: groups.map((row): DropGroup => {
      const { stage, sender, reason, category, count } = toDropRecord({ ...row, time: row.last, sample: "" })
      const samples = row.samples.filter((sample) => sample !== "")
      return { stage, sender, reason, category, count, lastTime: fromNanosText(row.last), samples }
    }),
    trend: trendOf(trend, steps),
  }
}

function trendOf(rows: readonly { reason: DropReason; step: number; count: string }[], steps: Steps) {
  const trend = new Map<DropReason, number[]>()
  for (const { reason, step, count } of rows) {
    const known = trend.get(reason) ?? Array.from<number>({ length: steps.count }).fill(0)
    if (step in known) known[step] = Number(count)
    trend.set(reason, known)
  }
  return trend
}

function scopeParameters({ from, until, stage, reason }: DropScope, oldest: Nanoseconds): Parameters {
  const since = storableTime(from)
  return {
    from: String(since > oldest ? since : oldest),
    until: String(storableTime(until)),
    stage: stage ?? "",
    reason: reason ?? "",
  }
}

/** The newest drops, newest first. */
export async function listDrops(context: ReadContext, limit: number): Promise<readonly DropRecord[]> {
  const rows = await context.clickhouse.select<DropRow>(
    `SELECT ${DROP_ROW_COLUMNS} FROM pagespan_dropped
    WHERE Time >= fromUnixTimestamp64Nano({oldest:Int64})
    ORDER BY Time DESC, Batch, Position LIMIT 1 BY Batch, Position LIMIT {limit:UInt32} ${LIST_LIMITS}`,
    { oldest: String(context.oldest), limit: Math.min(Math.max(1, Math.trunc(limit)), LIST_LIMIT) },
  )
  return rows.map(toDropRecord)
}
