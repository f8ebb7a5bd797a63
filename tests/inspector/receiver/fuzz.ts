import { constants, setPriority } from "node:os"

/** `npm run fuzz` runs for an hour. */
const DEFAULT_SECONDS = 30

export interface Fuzz {
  readonly seed: number
  readonly seconds: number
  readonly testLimitMs: number
}

/** Reads the seed and the time of a fuzzing run from the environment. Lowers the priority of the process below other test files. */
export function startFuzz(environment: NodeJS.ProcessEnv): Fuzz {
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  const seconds = Number(environment["PAGESPAN_FUZZ_SECONDS"] ?? DEFAULT_SECONDS)
  return {
    seed: Number(environment["PAGESPAN_FUZZ_SEED"] ?? 20_261_120),
    seconds,
    testLimitMs: seconds * 2_000 + 120_000,
  }
}
