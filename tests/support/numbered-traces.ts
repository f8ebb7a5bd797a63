import type { RunningApp } from "./running-app.ts"
import { waitFor } from "./wait-for.ts"

const idOf = (number: number) => (0xd15c0000 + number).toString(16).padStart(32, "0")

/** Sends a trace with one span of 40 kB. All have the same size: where one has no room, no other has. */
function send(app: RunningApp, number: number): Promise<Response> {
  const now = `${Date.now()}000000`
  const text = Math.random().toFixed(10).slice(2).repeat(4_000)
  const attributes = [{ key: "text", value: { stringValue: text } }]
  const spanId = idOf(number).slice(16)
  const span = { traceId: idOf(number), spanId, name: `span ${spanId}`, attributes }
  const spans = [{ ...span, startTimeUnixNano: now, endTimeUnixNano: now }]
  const headers = { "content-type": "application/json" }
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })
  return fetch(`${app.url}/v1/traces`, { method: "POST", headers, body })
}

/**
 * Sends one trace after another, and knows which ones were acknowledged. A status other than 200 and 503 fails the test, and
 * so does a 503 without `Retry-After`.
 */
export class NumberedTraces {
  readonly acknowledged: number[] = []
  #sent: number

  /** @param sent the number before that of the first trace. */
  constructor(
    private readonly app: RunningApp,
    sent = 0,
  ) {
    this.#sent = sent
  }

  async next(): Promise<number> {
    const { status, headers } = await send(this.app, (this.#sent += 1))
    if (status === 200) this.acknowledged.push(this.#sent)
    else if (status !== 503 || !(Number(headers.get("retry-after")) > 0))
      throw new Error(`answered ${status}, Retry-After: ${headers.get("retry-after")}`)
    return status
  }

  async untilRefused(): Promise<void> {
    await waitFor("a refusal", async () => (await this.next()) === 503)
  }

  /** Waits until each acknowledged trace is stored. */
  async expectStored(app: RunningApp): Promise<void> {
    for (const id of this.acknowledged) await waitFor(`trace ${id}`, async () => (await fetch(traceUrl(app, id))).ok)
  }
}

export function traceUrl(app: RunningApp, number: number): string {
  return `${app.url}/api/traces/${idOf(number)}`
}

/** The HTML of the first screen, without scripts. */
export async function firstScreen(app: RunningApp): Promise<string> {
  return (await (await fetch(`${app.url}/`)).text()).replaceAll(/<script[\s\S]*?<\/script>/g, "")
}
