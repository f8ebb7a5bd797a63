import { gzipSync } from "node:zlib"
import { expect, test } from "vitest"
import { processState } from "#otel/sdk/process-state.ts"
import { tunnelHandler } from "#otel/sdk/tunnel/tunnel.ts"
import { readCorpus, startFuzz } from "#tests/inspector/receiver/fuzz.ts"
import { mutate } from "#tests/inspector/receiver/mutate.ts"
import { generatedRequest } from "#tests/protocol/otlp/generated-requests.ts"
import { Random } from "#tests/protocol/otlp/random.ts"
import { encodeJson } from "#tests/protocol/otlp/requests.ts"
import { envelope, errorEvent, item, transaction } from "#tests/protocol/sentry/envelopes.ts"
import { RecordingCollector } from "#tests/support/recording-collector.ts"
import { RecordingSentry } from "#tests/support/recording-sentry.ts"
import { tunnelRuntime } from "./tunnel-runtime.ts"

const { seed: SEED, seconds: SECONDS, testLimitMs: TEST_LIMIT_MS } = startFuzz(process.env)
/** The minimum number of requests, whatever the time. */
const LEAST_ROUNDS = 3_000
/** After so many requests, budgets and recorded requests start again. */
const RENEWAL = 50

const TYPES = ["application/json", "text/plain;charset=UTF-8", "application/x-sentry-envelope"]
const CODINGS = ["identity", "gzip", "deflate", "br"]
const DROPS = ["k1:noisy_error/error=1", "k1:a/b=,;", "x".repeat(5_000), ",;:=/", "k:a/b=1e9;k:a/b=-1"]
const FORWARDED = ["203.0.113.9", "::ffff:10.0.0.1, [::1]:99", ",,,,", "unknown", "1.2.3.4".repeat(100)]
const FOUND = readCorpus().map(({ body }) => body)

function envelopeOf(random: Random): Uint8Array {
  const items = [
    () => item("transaction", transaction()),
    () => item("event", errorEvent({ breadcrumbs: [{ message: "Bearer hunter2hunter2" }] })),
    () => item("client_report", { discarded_events: [{ reason: "sample_rate", category: "span", quantity: 2 }] }),
    () => item("span", { version: 2, items: transaction().spans }),
  ]
  return envelope({ event_id: random.hex(16) }, ...random.list(4, () => random.pick(items)()))
}

function headersOf(random: Random, body: Uint8Array): Record<string, string> {
  const isEnvelope = body[0] === 0x7b && body.includes(0x0a)
  const isGzip = body[0] === 0x1f
  const headers: Record<string, string> = {
    host: "shop.example",
    "content-type": random.chance(0.9) ? (isEnvelope ? (TYPES[1] ?? "") : (TYPES[0] ?? "")) : random.pick(TYPES),
    "content-encoding": random.chance(0.9) ? (isGzip ? "gzip" : "identity") : random.pick(CODINGS),
  }
  if (random.chance(0.1)) headers["pagespan-drops"] = random.pick(DROPS)
  if (random.chance(0.1)) headers["x-forwarded-for"] = random.pick(FORWARDED)
  return headers
}

test(
  `malformed requests (seed ${SEED}) are answered 204 or 4xx, and the tunnel keeps forwarding`,
  async () => {
    const sentry = await new RecordingSentry().listen()
    const collector = await new RecordingCollector().listen()
    const runtime = tunnelRuntime({ SENTRY_DSN: sentry.dsn, OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint })
    const random = new Random(SEED)
    const statuses = new Map<number, number>()
    const forwarded = { envelopes: 0, batches: 0 }
    const renew = () => {
      forwarded.envelopes += sentry.requests.length
      forwarded.batches += collector.requests.length
      for (const server of [sentry, collector]) server.clear()
      processState("tunnel").value = undefined
    }
    let seeds: Uint8Array[] = []
    const end = performance.now() + SECONDS * 1_000
    let round = 0
    for (; round < LEAST_ROUNDS || performance.now() < end; round += 1) {
      if (round % RENEWAL === 0) {
        renew()
        const plain = [encodeJson(generatedRequest(random)), envelopeOf(random)]
        seeds = [...plain, ...plain.map((body) => gzipSync(body))]
      }
      const body = random.chance(0.3)
        ? random.pick(seeds)
        : mutate(random, random.pick(random.chance(0.05) ? FOUND : seeds), random.pick(seeds))
      const init = { method: "POST", body: Buffer.from(body), headers: headersOf(random, body) }
      const { status } = await tunnelHandler(new Request("http://shop.example/monitoring", init))
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    renew()
    await sentry.close()
    await collector.close()
    console.log(`seed ${SEED}, ${round} rounds`, Object.fromEntries(statuses), forwarded)
    const expected = new Set([204, 400, 413, 415])
    expect([...statuses.keys()].filter((status) => !expected.has(status))).toStrictEqual([])
    expect(statuses.get(204)).toBeGreaterThan(round / 10)
    expect(statuses.get(400)).toBeGreaterThan(round / 10)
    expect(Math.min(forwarded.envelopes, forwarded.batches, runtime.spans.length)).toBeGreaterThan(round / 50)
    // A client report with an unknown reason has the same reason, at the stage of its page.
    const failed = runtime.records().filter(({ stage, reason }) => stage !== "page" && reason === "internal_sdk_error")
    expect(failed).toStrictEqual([])
  },
  TEST_LIMIT_MS,
)
