import { type Answer, Connection } from "./connection.ts"
import type { Load } from "./loads.ts"

/** When the senders stop, and the number of concurrent requests. */
export interface Pace {
  readonly senders: number
  /** Seconds or a number of requests. */
  readonly seconds?: number
  readonly requests?: number
  /** The number of the first request, which the ids contain. */
  readonly first?: number
}

export interface Sent {
  readonly seconds: number
  readonly answers: readonly Answer[]
  readonly accepted: number
  readonly refused: readonly Answer[]
}

/** Sends requests from several senders over persistent connections, one at a time each. */
export async function sendLoad(url: string, load: Load, pace: Pace): Promise<Sent> {
  const connections = await Promise.all(Array.from({ length: pace.senders }, () => Connection.open(url)))
  const answers: Answer[] = []
  const start = performance.now()
  const end = start + (pace.seconds ?? Number.POSITIVE_INFINITY) * 1_000
  const last = (pace.first ?? 0) + (pace.requests ?? Number.POSITIVE_INFINITY)
  let next = pace.first ?? 0
  const send = async (connection: Connection) => {
    while (performance.now() < end && next < last) answers.push(await connection.post(load.request(next++)))
  }
  await Promise.all(connections.map(send))
  const seconds = (performance.now() - start) / 1_000
  for (const connection of connections) connection.close()
  const refused = answers.filter(({ status }) => status !== 200)
  return { seconds, answers, accepted: answers.length - refused.length, refused }
}
