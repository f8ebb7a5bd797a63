import type { TraceId } from "../../../protocol/records/ids.ts"
import { nanoseconds, type Nanoseconds } from "../../../protocol/records/time.ts"
import { earliestStart, type Run, type RunCopy } from "../../queries/list/run.ts"
import type { TraceScope } from "../../queries/list/trace-reader.ts"
import { type ClickHouse, NoAnswer } from "../clickhouse.ts"
import { type ReadContext, readLimits } from "../read/context.ts"
import { fromNanosText, LATEST_TIME } from "../rows/stored-values.ts"
import { RETAINED_STARTS, RETAINED_TRACE_TIMES } from "../schema/record-tables.ts"
import { STARTS } from "../schema/span-tables.ts"
import { copyRun, listCopies } from "./copies.ts"
import { listRuns } from "./runs.ts"
import { withRetained } from "./with-retained.ts"

const LIMITS = readLimits({ seconds: 5, rows: 1 })
const EPOCH = nanoseconds(0n)

/**
 * The traces of retained runs beyond the retention and the size limit. A query reads their copies if its scope names a
 * run or a time before the retention, or if it is for one of these traces. A query within the retention reads the
 * expiring tables only, as if no run were retained.
 */
export class RetainedTraces {
  /** Start of the earliest copied trace; `undefined` while there is none. */
  #firstCopied: Nanoseconds | undefined
  /** Start of the earliest trace in the expiring tables. */
  #firstExpiring: Nanoseconds = EPOCH

  /** Names of runs whose next traces exceed the span limit. */
  #full: ReadonlySet<string> = new Set()

  /** @param limit spans that all copies may hold together. */
  constructor(
    private readonly limit: number,
    private readonly warn: (problem: string) => void = (problem) => process.emitWarning(problem),
  ) {}

  /** Copies the traces of all runs that began before `upTo`, then refreshes what `forScope` knows. */
  async fill(clickhouse: ClickHouse, upTo: Nanoseconds): Promise<void> {
    const runs = await listRuns(clickhouse)
    const copies = new Map((await listCopies(clickhouse)).map((copy) => [copy.run, copy]))
    let room = this.limit - [...copies.values()].reduce((sum, { spans }) => sum + spans, 0)
    const full = new Set<string>()
    for (const run of runs.toSorted(byStart)) {
      const copied = copyRun(clickhouse, run, copies.get(run.name), { upTo, room })
      const { spans, isFull } = await copied.catch((error: unknown) => this.#failed(run, error))
      room -= spans
      if (isFull) full.add(run.name)
    }
    this.#full = full
    await this.refresh(clickhouse)
  }

  /** A run that cannot be copied, for example because its filter times out, must not delay the others or the retention. */
  #failed(run: Run, error: unknown) {
    if (error instanceof NoAnswer) throw error
    const why = error instanceof Error ? error.message : String(error)
    this.warn(`The run ${JSON.stringify(run.name)} could not be copied beyond the retention: ${why}`)
    return { spans: 0, isFull: false }
  }

  /** Reads again where copies and expiring rows begin. */
  async refresh(clickhouse: ClickHouse): Promise<void> {
    const firstCopied = await firstStart(clickhouse, RETAINED_STARTS.name)
    this.#firstExpiring = (await firstStart(clickhouse, STARTS.name)) ?? LATEST_TIME
    this.#firstCopied = firstCopied
  }

  /** How much of each run has been copied. */
  async copies(clickhouse: ClickHouse): Promise<readonly RunCopy[]> {
    const copies = (await listCopies(clickhouse)).map((copy) => ({ ...copy, isFull: this.#full.has(copy.run) }))
    const none = [...this.#full].filter((name) => !copies.some(({ run }) => run === name))
    return [...copies, ...none.map((run) => ({ run, traces: 0, spans: 0, copiedTo: EPOCH, isFull: true }))]
  }

  /** The context for a query of the traces of a scope. */
  forScope(context: ReadContext, { since, until, filter }: TraceScope): ReadContext {
    const expiring = this.#firstExpiring > context.oldest ? this.#firstExpiring : context.oldest
    const wanted = since ?? earliestStart(filter) ?? (until === undefined || until > expiring ? expiring : EPOCH)
    if (this.#firstCopied === undefined || this.#firstCopied >= expiring || wanted >= expiring) return context
    return until !== undefined && until <= this.#firstCopied ? context : withRetained(context)
  }

  /** The context for a query of one trace. */
  async forTrace(context: ReadContext, traceId: TraceId): Promise<ReadContext> {
    if (this.#firstCopied === undefined) return context
    const [row] = await context.clickhouse.select<{ known: number }>(
      `SELECT toUInt8(count() > 0) AS known FROM ${RETAINED_TRACE_TIMES.name} WHERE TraceId = {traceId:String} ${LIMITS}`,
      { traceId },
    )
    return row?.known ? withRetained(context) : context
  }
}

/** The earliest run first: its traces are the next to expire. */
function byStart(a: Run, b: Run): number {
  return a.since < b.since ? -1 : 1
}

async function firstStart(clickhouse: ClickHouse, table: string): Promise<Nanoseconds | undefined> {
  const [row] = await clickhouse.select<{ any: number; first: string }>(
    `SELECT toUInt8(count() > 0) AS any, toString(toUnixTimestamp64Nano(min(Timestamp))) AS first FROM ${table} ${LIMITS}`,
  )
  return row?.any ? fromNanosText(row.first) : undefined
}
