import { setTimeout as delay } from "node:timers/promises"
import { Connection } from "./connection.ts"
import { sentryLoad, traceOfRequest } from "./loads.ts"

const INTERVAL_MS = 50

/** Milliseconds from the start of a POST to its trace in `GET /live`, at 20 transactions per second. */
export async function liveLatencies(url: string, count: number, first: number): Promise<number[]> {
  const load = sentryLoad()
  const connection = await Connection.open(url)
  const leaving = new AbortController()
  const seen = new Map<string, number>()
  const reading = readLive(url, leaving.signal, (traceId) => seen.set(traceId, performance.now()))
  await delay(500)
  const sent = new Map<string, number>()
  for (let number = first; number < first + count; number += 1) {
    sent.set(traceOfRequest(number), performance.now())
    await Promise.all([connection.post(load.request(number)), delay(INTERVAL_MS)])
  }
  await delay(1_000)
  leaving.abort()
  await reading
  connection.close()
  return [...sent].map(([traceId, start]) => (seen.get(traceId) ?? Number.POSITIVE_INFINITY) - start)
}

async function readLive(url: string, signal: AbortSignal, onTrace: (traceId: string) => void): Promise<void> {
  const response = await fetch(`${url}/live`, { signal })
  const decoder = new TextDecoder()
  try {
    for await (const chunk of response.body ?? []) {
      const text = decoder.decode(chunk as Uint8Array, { stream: true })
      for (const [, traceId = ""] of text.matchAll(/"traceId":"([0-9a-f]{32})"/g)) onTrace(traceId)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
