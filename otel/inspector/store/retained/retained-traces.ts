import type { TraceId } from "../../../protocol/records/ids.ts"
import { nanoseconds, type Nanoseconds } from "../../../protocol/records/time.ts"
import { earliestStart, type Run, type RunCopy } from "../../queries/list/run.ts"
import type { TraceScope } from "../../queries/list/trace-reader.ts"
import { type ClickHouse, NoAnswer } from "../clickhouse.ts"
import { readLimits } from "../read/limits.ts"
import { fromNanosText, LATEST_TIME } from "../rows/timestamp.ts"
import { listRuns } from "../runs.ts"
import { copyRun, listCopies } from "./copies.ts"
import { RETAINED_STARTS, RETAINED_TIMES } from "./retained-tables.ts"
import { withRetained } from "./with-retained.ts"

const LIMITS = readLimits({ seconds: 5, rows: 1 })
const EVER = nanoseconds(0n)

/** What is asked, and before which time nothing is shown. */
export interface Reading {
  readonly clickhouse: ClickHouse
  readonly oldest: Nanoseconds
}

/**
 * The traces of kept runs that are past the age or size of all else. They are read where a run or a time before that is
 * asked for, and by the address of a trace; what lies within it is read from the ageing tables alone, as if nothing were
 * kept.
 */
export class RetainedTraces {
  /** Start of the earliest trace that is kept; `undefined` while none is. */
  #first: Nanoseconds | undefined
  /** Start of what the ageing tables hold. */
  #held: Nanoseconds = EVER

  /** Runs for whose next traces there was no room. */
  #full: ReadonlySet<string> = new Set()

  constructor(
    private readonly limit: number,
    private readonly warn: (problem: string) => void = (problem) => process.emitWarning(problem),
  ) {}

  /** Copies what runs have before a time, and looks again at what there is. */
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
    await this.look(clickhouse)
  }

  /** One run that cannot be copied, because its filter takes too long, must not hold up the others, or the retention. */
  #failed(run: Run, error: unknown) {
    if (error instanceof NoAnswer) throw error
    const why = error instanceof Error ? error.message : String(error)
    this.warn(`The run ${JSON.stringify(run.name)} could not be copied beyond the retention: ${why}`)
    return { spans: 0, isFull: false }
  }

  async look(clickhouse: ClickHouse): Promise<void> {
    const first = await firstStart(clickhouse, RETAINED_STARTS)
    this.#held = (await firstStart(clickhouse, "pagespan_starts")) ?? LATEST_TIME
    this.#first = first
  }

  /** What is kept of each run. */
  async copies(clickhouse: ClickHouse): Promise<readonly RunCopy[]> {
    const copies = (await listCopies(clickhouse)).map((copy) => ({ ...copy, isFull: this.#full.has(copy.run) }))
    const none = [...this.#full].filter((name) => !copies.some(({ run }) => run === name))
    return [...copies, ...none.map((run) => ({ run, traces: 0, spans: 0, copiedTo: EVER, isFull: true }))]
  }

  /** How the traces of a scope are read. */
  forScope(reading: Reading, { since, until, filter }: TraceScope): Reading {
    const ageing = this.#held > reading.oldest ? this.#held : reading.oldest
    const asked = since ?? earliestStart(filter) ?? (until === undefined || until > ageing ? ageing : EVER)
    if (this.#first === undefined || this.#first >= ageing || asked >= ageing) return reading
    return until !== undefined && until <= this.#first ? reading : beyond(reading)
  }

  /** How one trace is read. */
  async forTrace(reading: Reading, traceId: TraceId): Promise<Reading> {
    if (this.#first === undefined) return reading
    const [row] = await reading.clickhouse.select<{ known: number }>(
      `SELECT toUInt8(count() > 0) AS known FROM ${RETAINED_TIMES} WHERE TraceId = {traceId:String} ${LIMITS}`,
      { traceId },
    )
    return row?.known ? beyond(reading) : reading
  }
}

function beyond({ clickhouse, oldest }: Reading): Reading {
  return { clickhouse: withRetained(clickhouse, oldest), oldest: EVER }
}

/** The first to begin is the first to lose traces. */
function byStart(a: Run, b: Run): number {
  return a.since < b.since ? -1 : 1
}

async function firstStart(clickhouse: ClickHouse, table: string): Promise<Nanoseconds | undefined> {
  const [row] = await clickhouse.select<{ any: number; first: string }>(
    `SELECT toUInt8(count() > 0) AS any, toString(toUnixTimestamp64Nano(min(Timestamp))) AS first FROM ${table} ${LIMITS}`,
  )
  return row?.any ? fromNanosText(row.first) : undefined
}
