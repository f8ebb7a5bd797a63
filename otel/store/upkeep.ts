import { StoreUnavailable } from "../model/store-unavailable.ts"
import { fromMilliseconds, type Nanoseconds, nanoseconds } from "../model/time.ts"
import type { Surroundings } from "./backoff.ts"
import type { ClickHouse } from "./clickhouse.ts"
import type { Shelf } from "./kept/shelf.ts"
import type { Lifecycle } from "./lifecycle.ts"
import { keepWithinLimits } from "./schema/size-limit.ts"
import { insertLosses } from "./write/insert-losses.ts"

/** Age and size are obeyed within this time. */
const UPKEEP_MS = 60_000

export interface UpkeepSettings {
  readonly retentionMs: number
  readonly maxBytes: number
  readonly shelf: Shelf
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
export function startUpkeep(lifecycle: Lifecycle, settings: UpkeepSettings, surroundings: Surroundings): Upkeep {
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

async function upkeep(clickhouse: ClickHouse, settings: UpkeepSettings, surroundings: Surroundings): Promise<void> {
  const { retentionMs, maxBytes, shelf } = settings
  const now = fromMilliseconds(surroundings.now())
  const settled = now - fromMilliseconds(Math.min(SETTLED_MS, retentionMs / 4))
  await shelf.fill(clickhouse, nanoseconds(settled - (settled % STEP)))
  if (!clickhouse.endpoint.embedded) return
  const oldest = nanoseconds(now - fromMilliseconds(retentionMs))
  const save = (before: Nanoseconds) => shelf.fill(clickhouse, before < now ? before : now)
  const losses = await keepWithinLimits(clickhouse, { oldest, now, maxBytes, save })
  await shelf.look(clickhouse)
  await insertLosses(clickhouse, losses, `upkeep ${now}`)
}

/** While the store is away its state says so; the next minute brings another try in any case. */
function warn(error: unknown): void {
  if (error instanceof StoreUnavailable) return
  const why = error instanceof Error ? error.message : String(error)
  process.emitWarning(`The store could not be kept within its limits: ${why}`)
}
