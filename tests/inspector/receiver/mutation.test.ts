import { gzipSync } from "node:zlib"
import { expect, test } from "vitest"
import { generatedRequest } from "#tests/protocol/otlp/generated-requests.ts"
import { Random } from "#tests/protocol/otlp/random.ts"
import { encodeJson, encodeProtobuf } from "#tests/protocol/otlp/requests.ts"
import { addToCorpus, readCorpus, startFuzz } from "./fuzz.ts"
import { mutate } from "./mutate.ts"
import { post, startReceiver } from "./receiver-under-test.ts"

const { seed: SEED, seconds: SECONDS, testLimitMs: TEST_LIMIT_MS } = startFuzz(process.env)
/** The minimum number of requests, whatever the time. */
const LEAST_ROUNDS = 3_000

const TYPES = ["application/json", "application/x-protobuf", "text/plain"]
const CODINGS = ["identity", "gzip", "deflate", "br"]
const HANDLERS = ["traces", "traces", "traces", "logs", "metrics"] as const
const FOUND = readCorpus().map(({ body }) => body)

test(
  `malformed requests (seed ${SEED}) are answered 2xx or 4xx, and the receiver keeps working`,
  async () => {
    const { receiver, sink } = await startReceiver()
    const random = new Random(SEED)
    const statuses = new Map<number, number>()
    let seeds = [encodeJson({}), encodeProtobuf({})]
    const end = performance.now() + SECONDS * 1_000
    let round = 0
    for (; round < LEAST_ROUNDS || performance.now() < end; round += 1) {
      if (round % 50 === 0) {
        const generated = generatedRequest(random)
        seeds = [encodeJson(generated), encodeProtobuf(generated), gzipSync(encodeJson(generated))]
      }
      const body = mutate(random, random.pick(random.chance(0.05) ? FOUND : seeds), random.pick(seeds))
      const headers = {
        "content-type": random.pick(TYPES.slice(0, random.chance(0.05) ? 3 : 2)),
        "content-encoding": random.chance(0.7) ? "identity" : random.pick(CODINGS),
      }
      const handler = random.pick(HANDLERS)
      const { status } = await receiver[handler](post(body, headers))
      if (status >= 500) addToCorpus({ what: `a request of seed ${SEED}, answered ${status}`, handler, headers, body })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    console.log(`seed ${SEED}, ${round} rounds`, Object.fromEntries(statuses))
    expect([...statuses.keys()].filter((status) => status >= 500)).toStrictEqual([])
    expect(statuses.get(200)).toBeGreaterThan(round / 20)
    expect(statuses.get(400)).toBeGreaterThan(round / 20)
    await receiver.close()
    const unreadable = sink.spans.filter(({ endTime, startTime }) => endTime < startTime)
    expect(unreadable).toStrictEqual([])
  },
  TEST_LIMIT_MS,
)
