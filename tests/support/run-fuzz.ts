import { spawnSync } from "node:child_process"

/**
 * `npm run fuzz`: all fuzzers, one after the other, for an hour in all, with a new seed. Each first repeats its corpus, and
 * then adds to it what it finds. `PAGESPAN_FUZZ_SECONDS` sets another time for all together, `PAGESPAN_FUZZ_SEED` the seed.
 */

const DEFAULT_SECONDS = 3_600

/** Each with a fuzzer of its own. */
const FUZZERS = [
  "tests/inspector/ingest/otlp/mutation.test.ts",
  "tests/inspector/ingest/sentry/envelope-mutation.test.ts",
  "tests/inspector/ingest/unauthenticated/http-framing.test.ts",
  "tests/inspector/ingest/unauthenticated/grpc-frames.test.ts",
  "tests/inspector/live/stream-mutation.test.ts",
  "tests/inspector/mcp/mcp-mutation.test.ts",
  "tests/inspector/store/figures/figures-differential.test.ts",
  "tests/inspector/store/filter-differential.test.ts",
  "tests/sdk/tunnel/tunnel-mutation.test.ts",
  "tests/protocol/redact-mutation.test.ts",
]
/** The corpus of the first two. */
const CORPUS = "tests/inspector/ingest/corpus.test.ts"

const { PAGESPAN_FUZZ_SECONDS = DEFAULT_SECONDS, PAGESPAN_FUZZ_SEED = Date.now() % 2 ** 31 } = process.env
const seconds = Math.floor(Number(PAGESPAN_FUZZ_SECONDS) / FUZZERS.length)
console.log(`${FUZZERS.length} fuzzers for ${seconds} s each, with the seed ${PAGESPAN_FUZZ_SEED}`)
const { status } = spawnSync(
  process.execPath,
  // One after the other: fuzzers that compete for the cores find less, and slow what they drive.
  ["node_modules/vitest/vitest.mjs", "run", "--no-file-parallelism", CORPUS, ...FUZZERS],
  {
    stdio: "inherit",
    env: {
      ...process.env,
      PAGESPAN_FUZZ_SECONDS: String(seconds),
      PAGESPAN_FUZZ_SEED: String(PAGESPAN_FUZZ_SEED),
    },
  },
)
process.exit(status ?? 1)
