import type { RunningApp } from "#tests/support/running-app.ts"
import type { Load } from "./loads.ts"
import { type CpuParts, cpuParts, watchMemory } from "./process-figures.ts"
import { sendLoad, type Sent } from "./send.ts"

/** Requests at once. */
export const SENDERS = 8
const DRAIN_LIMIT_MS = 300_000

/** Resolves with the seconds until everything that the inspector has accepted is stored, or until the limit. */
export async function untilDrained({ url }: RunningApp, limitMs = DRAIN_LIMIT_MS): Promise<number> {
  const start = performance.now()
  while (performance.now() < start + limitMs) {
    const { queue } = (await (await fetch(`${url}/health`)).json()) as { queue: { depth: number } }
    if (queue.depth === 0) break
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return (performance.now() - start) / 1_000
}

export interface Sustained {
  readonly sent: Sent
  readonly drainSeconds: number
  /** Accepted requests per second until all of them were stored. */
  readonly requestsPerSecond: number
  /** CPU seconds of the inspector until all of it was stored, and of the senders. */
  readonly cpu: CpuParts & { readonly sender: number }
  /** Resident memory of all processes of the inspector in MiB: at the start, every second, and at the end. */
  readonly memoryMiB: readonly number[]
}

/** Sends as fast as the inspector answers, then waits until all of it is stored. */
export async function measureSustained(
  app: RunningApp,
  load: Load,
  seconds: number,
  first: number,
): Promise<Sustained> {
  const before = cpuParts(app.pid)
  const senderBefore = process.cpuUsage()
  const [{ sent, drainSeconds }, memoryMiB] = await watchMemory(app.pid, async () => {
    const all = await sendLoad(app.url, load, { senders: SENDERS, seconds, first })
    return { sent: all, drainSeconds: await untilDrained(app) }
  })
  const sender = process.cpuUsage(senderBefore)
  const after = cpuParts(app.pid)
  return {
    sent,
    drainSeconds,
    requestsPerSecond: sent.accepted / (sent.seconds + drainSeconds),
    cpu: {
      handlers: after.handlers - before.handlers,
      threads: after.threads - before.threads,
      store: after.store - before.store,
      sender: (sender.user + sender.system) / 1e6,
    },
    memoryMiB,
  }
}
