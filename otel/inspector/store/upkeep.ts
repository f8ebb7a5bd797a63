import type { DropRecord } from "../../protocol/records/drop.ts"
import { fromMilliseconds, nanoseconds, type Nanoseconds } from "../../protocol/records/time.ts"
import type { ClickHouse } from "./clickhouse.ts"
import { failureKind } from "./failure.ts"
import type { Lifecycle } from "./lifecycle.ts"
import type { RetainedTraces } from "./retained/retained-traces.ts"
import { enforceLimits } from "./schema/size-limit.ts"
import { insertDrops } from "./writer/insert-records.ts"

/** The store exceeds its age and size limits for no longer than this. */
const UPKEEP_MS = 60_000

/** A trace is copied once it began this long ago, when most have all of their spans; with a short retention, after a quarter of that. */
const SETTLED_MS = 3_600_000
/** Kinds of failure that are reported, at most. */
const WARNING_LIMIT = 20
/** Copies end at multiples of this, so that processes that share a server copy the same slices. */
const STEP = 600_000_000_000n

interface UpkeepSettings {
  readonly retentionMs: number
  readonly maxBytes: number
  readonly retained: RetainedTraces
}

interface Upkeep {
  /** Runs it now, in the background. */
  run(): void
  stop(): void
}

/**
 * Copies retained runs and enforces the limits of the embedded store, when the store becomes ready and every minute.
 *
 * @param clock of the retention, in milliseconds since the epoch.
 */
export function startUpkeep(
  lifecycle: Pick<Lifecycle, "cell" | "write">,
  settings: UpkeepSettings,
  clock: () => number,
): Upkeep {
  const warned = new Set<string>()
  let running: Promise<void> | undefined
  let isDueAgain = false
  const run = () => {
    if (lifecycle.cell.state !== "ready") return
    isDueAgain = running !== undefined
    running ??= lifecycle
      .write((clickhouse) => upkeep(clickhouse, settings, clock()))
      .catch((error: unknown) => {
        // Of a store that is no longer ready, the state says why.
        if (lifecycle.cell.state === "ready") warnOnce(error, warned)
      })
      .finally(() => {
        running = undefined
        if (isDueAgain) run()
      })
  }
  const timer = setInterval(run, UPKEEP_MS)
  timer.unref()
  const stopListening = lifecycle.cell.onChange(run)
  return {
    run,
    stop() {
      clearInterval(timer)
      stopListening()
    },
  }
}

async function upkeep(clickhouse: ClickHouse, settings: UpkeepSettings, nowMs: number): Promise<void> {
  const { retentionMs, maxBytes, retained } = settings
  const now = fromMilliseconds(nowMs)
  const settled = now - fromMilliseconds(Math.min(SETTLED_MS, retentionMs / 4))
  await retained.fill(clickhouse, nanoseconds(settled - (settled % STEP)))
  if (!clickhouse.endpoint.embedded) return
  const oldest = nanoseconds(now - fromMilliseconds(retentionMs))
  const save = (before: Nanoseconds) => retained.fill(clickhouse, before < now ? before : now)
  const record = (drop: DropRecord, id: string) => insertDrops(clickhouse, [drop], id)
  await enforceLimits(clickhouse, { oldest, now, maxBytes, save, record })
  await retained.refresh(clickhouse)
}

/** Every minute brings another attempt, and may bring the same failure: each kind is reported once. */
function warnOnce(error: unknown, warned: Set<string>): void {
  const kind = failureKind(error)
  if (warned.has(kind) || warned.size >= WARNING_LIMIT) return
  warned.add(kind)
  const why = error instanceof Error ? error.message : String(error)
  process.emitWarning(`The store could not be kept within its limits: ${why}`)
}
