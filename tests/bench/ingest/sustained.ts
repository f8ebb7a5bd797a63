import type { RunningApp } from "#tests/support/running-app.ts"
import type { Load } from "./loads.ts"
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
}

/** Sends as fast as the inspector answers, then waits until all of it is stored. */
export async function measureSustained(
  app: RunningApp,
  load: Load,
  seconds: number,
  first: number,
): Promise<Sustained> {
  const sent = await sendLoad(app.url, load, { senders: SENDERS, seconds, first })
  const drainSeconds = await untilDrained(app)
  return { sent, drainSeconds, requestsPerSecond: sent.accepted / (sent.seconds + drainSeconds) }
}
