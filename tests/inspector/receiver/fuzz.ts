import { constants, setPriority } from "node:os"

/** Hours by `npm run fuzz`. */
const DEFAULT_SECONDS = 30

export interface Fuzz {
  readonly seed: number
  readonly seconds: number
  readonly testLimitMs: number
}

/** How the run that holds this file is to be fuzzed. It takes what other files leave of the processors. */
export function startFuzz(environment: NodeJS.ProcessEnv): Fuzz {
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  const seconds = Number(environment["PAGESPAN_FUZZ_SECONDS"] ?? DEFAULT_SECONDS)
  return {
    seed: Number(environment["PAGESPAN_FUZZ_SEED"] ?? 20_261_120),
    seconds,
    testLimitMs: seconds * 2_000 + 120_000,
  }
}
