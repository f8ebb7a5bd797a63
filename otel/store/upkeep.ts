import { StoreUnavailable } from "../model/store-unavailable.ts"
import { fromMilliseconds, nanoseconds } from "../model/time.ts"
import type { Surroundings } from "./backoff.ts"
import type { ClickHouse } from "./clickhouse.ts"
import type { Lifecycle } from "./lifecycle.ts"
import { keepWithinLimits } from "./schema/size-limit.ts"
import { insertLosses } from "./write/insert-losses.ts"

/** Age and size are obeyed within this time. */
const UPKEEP_MS = 60_000

export interface UpkeepSettings {
  readonly retentionMs: number
  readonly maxBytes: number
}

/** Keeps the embedded store within its limits, when it becomes ready and every minute. Returns what ends that. */
export function startUpkeep(lifecycle: Lifecycle, settings: UpkeepSettings, surroundings: Surroundings): () => void {
  let running: Promise<void> | undefined
  const run = () => {
    if (lifecycle.cell.state !== "ready") return
    running ??= lifecycle
      .write((clickhouse) => upkeep(clickhouse, settings, surroundings))
      .catch(warn)
      .finally(() => (running = undefined))
  }
  const timer = setInterval(run, UPKEEP_MS)
  timer.unref()
  const stopListening = lifecycle.cell.onChange(run)
  return () => {
    clearInterval(timer)
    stopListening()
  }
}

async function upkeep(clickhouse: ClickHouse, settings: UpkeepSettings, surroundings: Surroundings): Promise<void> {
  if (!clickhouse.embedded) return
  const now = fromMilliseconds(surroundings.now())
  const oldest = nanoseconds(now - fromMilliseconds(settings.retentionMs))
  const losses = await keepWithinLimits(clickhouse, { oldest, now, maxBytes: settings.maxBytes })
  await insertLosses(clickhouse, losses, `upkeep ${now}`)
}

/** While the store is away its state says so; the next minute brings another try in any case. */
function warn(error: unknown): void {
  if (error instanceof StoreUnavailable) return
  const why = error instanceof Error ? error.message : String(error)
  process.emitWarning(`The store could not be kept within its limits: ${why}`)
}
