import { gzipSync } from "node:zlib"
import { expect, test } from "vitest"
import { generatedRequest } from "#tests/protocol/otlp/generated-requests.ts"
import { encodeJson, encodeProtobuf } from "#tests/protocol/otlp/requests.ts"
import { fuzz, FUZZ_LIMIT_MS, FUZZ_SEED, readCorpus } from "#tests/support/fuzz.ts"
import type { MemorySink } from "#tests/inspector/ingest/memory-sink.ts"
import { mutate, type ReceiverRequest } from "#tests/inspector/ingest/mutate.ts"
import { post, startReceiver } from "#tests/inspector/ingest/receiver-under-test.ts"

const TYPES = ["application/json", "application/x-protobuf", "text/plain"]
const CODINGS = ["identity", "gzip", "deflate", "br"]
const HANDLERS = ["traces", "traces", "traces", "logs", "metrics"] as const
const FOUND = readCorpus<ReceiverRequest>("receiver").map(({ input }) => input.body)

function expectOrderedTimes(sink: MemorySink): void {
  const unreadable = sink.spans.filter(({ endTime, startTime }) => endTime < startTime)
  expect(unreadable).toStrictEqual([])
  sink.clear()
}

test(
  `malformed requests (seed ${FUZZ_SEED}) are answered 2xx or 4xx, and the receiver keeps working`,
  async () => {
    const { receiver, sink } = await startReceiver()
    let seeds = [encodeJson({}), encodeProtobuf({})]
    let round = 0
    const { inputs, outcomes } = await fuzz<ReceiverRequest>({
      name: "receiver",
      leastInputs: 3_000,
      generate(random) {
        if (round++ % 50 === 0) {
          const generated = generatedRequest(random)
          seeds = [encodeJson(generated), encodeProtobuf(generated), gzipSync(encodeJson(generated))]
        }
        const body = mutate(random, random.pick(random.chance(0.05) ? FOUND : seeds), random.pick(seeds))
        const headers = {
          "content-type": random.pick(TYPES.slice(0, random.chance(0.05) ? 3 : 2)),
          "content-encoding": random.chance(0.7) ? "identity" : random.pick(CODINGS),
        }
        return { handler: random.pick(HANDLERS), headers, body }
      },
      async run({ handler, headers, body }) {
        const { status } = await receiver[handler](post(body, headers))
        if (status >= 500) throw new Error(`answered ${status}`)
        if (sink.batches.length > 100) expectOrderedTimes(sink)
        return [status]
      },
    })
    expect(outcomes.get(200)).toBeGreaterThan(inputs / 20)
    expect(outcomes.get(400)).toBeGreaterThan(inputs / 20)
    await receiver.close()
    expectOrderedTimes(sink)
  },
  FUZZ_LIMIT_MS,
)
