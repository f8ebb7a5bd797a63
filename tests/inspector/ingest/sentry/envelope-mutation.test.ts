import { gzipSync } from "node:zlib"
import { expect, test } from "vitest"
import type { DropRecord } from "#otel/protocol/records/drop.ts"
import type { Random } from "#tests/protocol/otlp/random.ts"
import { envelope, errorEvent, item, type Json, transaction } from "#tests/protocol/sentry/envelopes.ts"
import { fuzz, FUZZ_LIMIT_MS, FUZZ_SEED, readCorpus } from "#tests/support/fuzz.ts"
import { mutate, type ReceiverRequest } from "#tests/inspector/ingest/mutate.ts"
import { post, startReceiver } from "#tests/inspector/ingest/receiver-under-test.ts"

const CODINGS = ["identity", "gzip", "deflate", "br"]
const HANDLERS = ["envelope", "envelope", "stream", "store"] as const
const FOUND = readCorpus<ReceiverRequest>("receiver").map(({ input }) => input.body)
const ODD: readonly Json[] = [null, -1, 1e300, "", "x", [], {}, [[]], { values: 5 }, true, "9".repeat(30), "\ud800"]

/** An item as SDKs send it, in which one value may be replaced by an odd one. */
function generatedItem(random: Random): [Json, Json] {
  const payload = random.pick([
    () => item("transaction", transaction()),
    () =>
      item(
        "event",
        errorEvent({ breadcrumbs: [{ message: "x" }], tags: [["a", "b"]], fingerprint: ["{{ default }}"] }),
      ),
    () => item("span", transaction().spans[0]),
    () => item("span", { version: 2, items: [spanV2(), spanV2()] }),
    () => item("log", { version: 2, items: [{ timestamp: 1.5, body: "b", level: "info", attributes: {} }] }),
    () => item("client_report", { discarded_events: [{ reason: "sample_rate", category: "span", quantity: 2 }] }),
    () => item("attachment", "raw", { length: 3 }),
    () => item("session", {}),
  ])()
  return random.chance(0.6) ? [payload[0], withOddValue(random, payload[1])] : payload
}

function spanV2(): Json {
  const [child] = transaction().spans
  return { ...child, end_timestamp: child.timestamp, attributes: { a: { value: 1, type: "double" } }, links: [child] }
}

function withOddValue(random: Random, value: Json): Json {
  if (typeof value !== "object" || value === null || random.chance(0.15)) return random.pick(ODD)
  const keys = Object.keys(value)
  if (keys.length === 0) return random.pick(ODD)
  const key = random.pick(keys)
  const copy: Json = Array.isArray(value) ? [...value] : { ...value }
  copy[key] = withOddValue(random, value[key])
  return copy
}

test(
  `malformed envelopes (seed ${FUZZ_SEED}) are answered 200 or 4xx, and the receiver keeps working`,
  async () => {
    const { receiver, sink } = await startReceiver()
    const stored = { spans: 0, errors: 0 }
    const count = () => {
      stored.spans += sink.spans.length
      stored.errors += sink.errors.length
      // A client report with an unknown reason has the same reason, at another stage.
      const failed = ({ stage, reason }: DropRecord) => stage === "ingest" && reason === "internal_sdk_error"
      expect(sink.drops.filter(failed)).toStrictEqual([])
      sink.clear()
    }
    let seeds: Uint8Array[] = []
    let round = 0
    const { inputs, outcomes } = await fuzz<ReceiverRequest>({
      name: "receiver",
      leastInputs: 6_000,
      generate(random) {
        if (round++ % 10 === 0) {
          const generated = envelope(
            { sdk: random.pick(ODD), event_id: random.pick(ODD) },
            ...random.list(4, () => generatedItem(random)),
          )
          seeds = [generated, gzipSync(generated)]
        }
        const body = random.chance(0.4)
          ? random.pick(seeds)
          : mutate(random, random.pick(random.chance(0.05) ? FOUND : seeds), random.pick(seeds))
        const isGzip = body[0] === 0x1f
        const coding = random.chance(0.9) ? (isGzip ? "gzip" : "identity") : random.pick(CODINGS)
        return { handler: random.pick(HANDLERS), headers: { "content-encoding": coding }, body }
      },
      async run({ handler, headers, body }) {
        const { status } = await receiver[handler](post(body, headers))
        if (status !== 200 && status !== 400 && status !== 413) throw new Error(`answered ${status}`)
        if (sink.batches.length > 100) count()
        return [status]
      },
    })
    expect(outcomes.get(200)).toBeGreaterThan(inputs / 10)
    expect(outcomes.get(400)).toBeGreaterThan(inputs / 10)
    await receiver.close()
    count()
    expect(stored.spans).toBeGreaterThan(100)
    expect(stored.errors).toBeGreaterThan(100)
  },
  FUZZ_LIMIT_MS,
)
