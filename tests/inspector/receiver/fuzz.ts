import { createHash } from "node:crypto"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { constants, setPriority } from "node:os"
import { join } from "node:path"

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

/** The endpoints of the receiver that the fuzzers of OTLP and of envelopes call. */
export type FuzzedHandler = "traces" | "logs" | "metrics" | "envelope" | "store" | "stream"

/** A request that once failed: an attack, or what a fuzzer found. Every run of the tests repeats it, and fuzzers mutate it. */
export interface CorpusRequest {
  readonly what: string
  readonly handler: FuzzedHandler
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** Files of this folder are part of the repository: commit what a fuzzer adds. */
const CORPUS = join(import.meta.dirname, "corpus")

export function readCorpus(folder: string = CORPUS): readonly CorpusRequest[] {
  return readdirSync(folder).map((name) => {
    const { body, ...request } = JSON.parse(readFileSync(join(folder, name), "utf8")) as CorpusRequest & {
      body: string
    }
    return { ...request, body: Buffer.from(body, "base64") }
  })
}

/** Adds a request to the corpus, under a name that its body determines. */
export function addToCorpus({ body, ...request }: CorpusRequest, folder: string = CORPUS): void {
  const text = Buffer.from(body).toString("base64")
  const name = `${createHash("sha256").update(text).digest("hex").slice(0, 16)}.json`
  writeFileSync(join(folder, name), `${JSON.stringify({ ...request, body: text }, undefined, 2)}\n`)
  console.error(`a fuzzer found ${join(folder, name)}: commit it`)
}
