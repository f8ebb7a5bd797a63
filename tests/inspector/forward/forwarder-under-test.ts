import { readdirSync } from "node:fs"
import { onTestFinished } from "vitest"
import type { EgressAnswer, EgressRequest } from "#otel/inspector/forward/egress.ts"
import { createForwarder, type ForwarderOptions } from "#otel/inspector/forward/forwarder.ts"
import { decodeTraces } from "#otel/protocol/otlp/decode-traces.ts"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { fromMilliseconds } from "#otel/protocol/records/time.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"
import { waitFor } from "#tests/support/wait-for.ts"

export const A = "http://a.example"
export const B = "http://b.example"
const LATEST = fromMilliseconds(Date.now() + 86_400_000)

export function spans(count: number, source: SpanRecord["source"] = "otlp"): SpanRecord[] {
  const json = Array.from({ length: count }, (_, index) => ({
    traceId: "0af7651916cd43dd8448eb211c80319c",
    spanId: (index + 1).toString(16).padStart(16, "0"),
    name: `span ${index}`,
    startTimeUnixNano: "1700000000000000000",
    endTimeUnixNano: "1700000001000000000",
  }))
  const decoded = decodeTraces(
    Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: json }] }] })),
    "json",
    {
      latest: LATEST,
      maxSpans: Infinity,
    },
  )
  return decoded.ok ? decoded.spans.map((span) => ({ ...span, source })) : []
}

export function spansIn({ body }: EgressRequest): number {
  const decoded = decodeTraces(body, "json", { latest: LATEST, maxSpans: Infinity })
  return decoded.ok ? decoded.spans.length : -1
}

export function answered(status: number, headers: Record<string, string> = {}, body = "{}"): EgressAnswer {
  return { outcome: "answered", status, header: (name) => headers[name], body: Buffer.from(body) }
}

/** A forwarder without a network, whose clock skips every wait. */
export async function forwarder(
  given: Partial<ForwarderOptions>,
  answer: (request: EgressRequest, attempt: number) => EgressAnswer | Promise<EgressAnswer>,
) {
  const sent: EgressRequest[] = []
  const delivered: EgressRequest[] = []
  const waits: number[] = []
  const drops: { reason: string; category: string; count: number }[] = []
  let clock = 1_700_000_000_000
  const directory = given.directory ?? (await temporaryDirectory())
  const forwarding = createForwarder({
    otlp: [A],
    sentry: undefined,
    allowedAddresses: [],
    directory,
    now: () => clock,
    elapsed: () => clock,
    random: () => 0.5,
    sleep: async (milliseconds, signal) => {
      waits.push(milliseconds)
      clock += milliseconds
      // Yields to other destinations and to the test.
      await new Promise((resolve) => setTimeout(resolve, signal.aborted ? 0 : 1))
    },
    recordDrop: (reason, category, count) => drops.push({ reason, category, count }),
    send: async (request, signal) => {
      sent.push(request)
      const settled = new AbortController()
      const ended = new Promise<EgressAnswer>((resolve) =>
        signal.addEventListener("abort", () => resolve({ outcome: "failed" }), { signal: settled.signal }),
      )
      const result = await Promise.race([answer(request, sent.length), ended])
      settled.abort()
      if (result.outcome === "answered" && result.status < 300) delivered.push(request)
      return result
    },
    ...given,
  })
  onTestFinished(() => forwarding.close())
  const dropped = () => drops.map(({ reason, category, count }) => `${reason}/${category}=${count}`)
  /** Without the file that is being written. */
  const waiting = () =>
    readdirSync(directory, { recursive: true }).filter((name) => /-(?!.*\.unfinished$)/.test(String(name)))
  const settled = () => waitFor("an empty queue", () => waiting().length === 0 && sent.length + drops.length > 0)
  return {
    ...forwarding,
    sent,
    delivered,
    waits,
    dropped,
    drops,
    waiting,
    settled,
    directory,
    tick: (ms: number) => (clock += ms),
  }
}
