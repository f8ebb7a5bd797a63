import { decodeWaterfall } from "#otel/inspector/queries/trace/columns/waterfall-bytes.ts"
import type { RunningApp } from "#tests/support/running-app.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { postJson } from "./post-json.ts"

const SPANS_A_REQUEST = 4_000
const SERVICES = ["gateway", "web", "checkout", "stock", "mail", "billing"]
const NAMES = 200
const WIDTH = 6

/** The id of the trace with that many spans. */
export function traceOf(spans: number): string {
  return `bbbb${spans.toString().padStart(28, "0")}`
}

/**
 * Posts one trace with that many spans as an SDK does: six children per span, 200 names, six services, five attributes per
 * span, one in 500 spans with an error. Resolves when the read API returns all of them.
 */
export async function seedTrace({ url }: RunningApp, spans: number): Promise<string> {
  const traceId = traceOf(spans)
  const start = BigInt(Date.now() - 300_000) * 1_000_000n
  for (let from = 0; from < spans; from += SPANS_A_REQUEST) {
    const some = Array.from({ length: Math.min(SPANS_A_REQUEST, spans - from) }, (_, i) => from + i)
    const resourceSpans = SERVICES.map((service, place) => ({
      resource: { attributes: [{ key: "service.name", value: { stringValue: service } }] },
      scopeSpans: [
        {
          scope: { name: "bench" },
          spans: some
            .filter((index) => index % SERVICES.length === place)
            .map((index) => spanOf(traceId, index, spans, start)),
        },
      ],
    }))
    await postJson(`${url}/v1/traces`, { resourceSpans })
  }
  await waitFor("the spans in the store", async () => (await countStored(url, traceId)) === spans, 180_000)
  return traceId
}

/** A child lies within its parent and takes a sixth of the parent's remaining time. */
function spanOf(traceId: string, index: number, spans: number, start: bigint) {
  const { from, length } = placeOf(index, spans)
  return {
    traceId,
    spanId: idOf(index),
    ...(index > 0 && { parentSpanId: idOf(Math.floor((index - 1) / WIDTH)) }),
    name: index === 0 ? `bench of ${spans}` : `operation ${index % NAMES} of the shop`,
    kind: 1 + (index % 3),
    startTimeUnixNano: String(start + BigInt(from)),
    endTimeUnixNano: String(start + BigInt(from + length)),
    attributes: [
      { key: "http.route", value: { stringValue: `/shop/${index % 30}` } },
      { key: "url.path", value: { stringValue: `/shop/item-${index}` } },
      { key: "request.id", value: { stringValue: `request-${index}` } },
      { key: "server.port", value: { intValue: "443" } },
      { key: "cache.hit", value: { boolValue: index % 2 === 0 } },
    ],
    status: index % 500 === 499 ? { code: 2, message: "boom" } : {},
  }
}

function placeOf(index: number, spans: number): { from: number; length: number } {
  if (index === 0) return { from: 0, length: spans * 60_000 }
  const parent = placeOf(Math.floor((index - 1) / WIDTH), spans)
  const slot = Math.floor((parent.length * 0.95) / WIDTH)
  return { from: parent.from + slot * ((index - 1) % WIDTH), length: Math.max(100, Math.floor(slot * 1.2)) }
}

function idOf(index: number): string {
  return (index + 1).toString(16).padStart(16, "0")
}

async function countStored(url: string, traceId: string): Promise<number> {
  const health = (await (await fetch(`${url}/health`)).json()) as { queue: { depth: number } }
  if (health.queue.depth > 0) return -1
  const response = await fetch(`${url}/api/traces/${traceId}/waterfall`)
  return response.ok ? decodeWaterfall(await response.arrayBuffer()).stored : -1
}
