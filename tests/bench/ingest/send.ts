import { Agent, request } from "node:http"
import type { Load } from "./loads.ts"

/** When the senders stop, and how many requests are open at once. */
export interface Pace {
  readonly senders: number
  /** Seconds, or else a number of requests. */
  readonly seconds?: number
  readonly requests?: number
  /** The number of the first request; ids depend on it. */
  readonly first?: number
}

export interface Answer {
  readonly status: number
  readonly ms: number
  readonly retryAfter: boolean
}

export interface Sent {
  readonly seconds: number
  readonly answers: readonly Answer[]
  readonly accepted: number
  readonly refused: readonly Answer[]
}

/** Sends requests one after the other from each of several senders, over connections that stay open. */
export async function sendLoad(url: string, load: Load, pace: Pace): Promise<Sent> {
  const agent = new Agent({ keepAlive: true, maxSockets: pace.senders })
  const answers: Answer[] = []
  const start = performance.now()
  const end = start + (pace.seconds ?? Number.POSITIVE_INFINITY) * 1_000
  const last = (pace.first ?? 0) + (pace.requests ?? Number.POSITIVE_INFINITY)
  let next = pace.first ?? 0
  const sender = async () => {
    while (performance.now() < end && next < last) answers.push(await post(agent, url, load, next++))
  }
  await Promise.all(Array.from({ length: pace.senders }, sender))
  agent.destroy()
  const refused = answers.filter(({ status }) => status !== 200)
  return { seconds: (performance.now() - start) / 1_000, answers, accepted: answers.length - refused.length, refused }
}

export function post(agent: Agent, url: string, load: Load, number: number): Promise<Answer> {
  const body = load.body(number)
  const start = performance.now()
  return new Promise((resolve, reject) => {
    const headers = { ...load.headers, "content-length": body.length }
    const sending = request(`${url}${load.path}`, { method: "POST", agent, headers }, (response) => {
      response.resume()
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          ms: performance.now() - start,
          retryAfter: response.headers["retry-after"] !== undefined,
        }),
      )
    })
    sending.on("error", reject)
    sending.end(body)
  })
}
