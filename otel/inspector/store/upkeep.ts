import { fromMilliseconds, nanoseconds, type Nanoseconds } from "../../protocol/records/time.ts"
import type { Dependencies } from "./backoff.ts"
import type { ClickHouse } from "./clickhouse.ts"
import { StoreUnavailable } from "./failure.ts"
import type { Lifecycle } from "./lifecycle.ts"
import type { RetainedTraces } from "./retained/retained-traces.ts"
import { enforceLimits } from "./schema/size-limit.ts"
import { insertDrops } from "./write/insert-drops.ts"

/** Age and size are obeyed within this time. */
const UPKEEP_MS = 60_000

export interface UpkeepSettings {
  readonly retentionMs: number
  readonly maxBytes: number
  readonly retained: RetainedTraces
}

interface Upkeep {
  /** Does it now as well, in the background. */
  run(): void
  stop(): void
}

/** A trace is copied when it began this long ago: most have all their spans by then. With a short age, a quarter of that. */
const SETTLED_MS = 3_600_000
/** Copies end at whole steps, so that processes that share a server copy the same. */
const STEP = 600_000_000_000n

/** Copies what kept runs have, and keeps the embedded store within its limits, when it becomes ready and every minute. */
export function startUpkeep(lifecycle: Lifecycle, settings: UpkeepSettings, surroundings: Dependencies): Upkeep {
  let running: Promise<void> | undefined
  let isAskedAgain = false
  const run = () => {
    if (lifecycle.cell.state !== "ready") return
    isAskedAgain = running !== undefined
    running ??= lifecycle
      .write((clickhouse) => upkeep(clickhouse, settings, surroundings))
      .catch(warn)
      .finally(() => {
        running = undefined
        if (isAskedAgain) run()
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

async function upkeep(clickhouse: ClickHouse, settings: UpkeepSettings, surroundings: Dependencies): Promise<void> {
  const { retentionMs, maxBytes, retained } = settings
  const now = fromMilliseconds(surroundings.now())
  const settled = now - fromMilliseconds(Math.min(SETTLED_MS, retentionMs / 4))
  await retained.fill(clickhouse, nanoseconds(settled - (settled % STEP)))
  if (!clickhouse.endpoint.embedded) return
  const oldest = nanoseconds(now - fromMilliseconds(retentionMs))
  const save = (before: Nanoseconds) => retained.fill(clickhouse, before < now ? before : now)
  const drops = await enforceLimits(clickhouse, { oldest, now, maxBytes, save })
  await retained.look(clickhouse)
  await insertDrops(clickhouse, drops, `upkeep ${now}`)
}

/** While the store is away its state says so; the next minute brings another try in any case. */
function warn(error: unknown): void {
  if (error instanceof StoreUnavailable) return
  const why = error instanceof Error ? error.message : String(error)
  process.emitWarning(`The store could not be kept within its limits: ${why}`)
}
