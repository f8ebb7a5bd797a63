import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { constants, setPriority } from "node:os"
import { join } from "node:path"
import { onTestFailed } from "vitest"
import { Random } from "#tests/protocol/otlp/random.ts"

/** A folder for each fuzzer. Its files are part of the repository: commit what a fuzzer adds. */
const CORPORA = join(import.meta.dirname, "../corpus")
/** In every other run of the tests. `npm run fuzz` divides an hour among the fuzzers. */
const DEFAULT_SECONDS = 30
/** An input that takes longer is a finding. No input takes a hundredth of it, also on a busy machine. */
const HANG_MS = 30_000
/** A fuzzer stops after this many findings, which mostly have one cause. */
const FINDING_LIMIT = 10

export interface Fuzzer<Input> {
  /** Name of the folder of its corpus. */
  readonly name: string
  /** The minimum number of inputs, whatever the time. */
  readonly leastInputs: number
  /** Seconds without `PAGESPAN_FUZZ_SECONDS`. Default: 30. */
  readonly seconds?: number
  readonly generate: (random: Random) => Input
  /** Rejects if the input breaks a promise. The outcomes, such as status codes, are counted. */
  readonly run: (input: Input) => Promise<readonly (string | number)[]>
}

export interface Fuzzed {
  readonly inputs: number
  readonly outcomes: ReadonlyMap<string | number, number>
}

/** Seed and time of a fuzzing run, from the environment. */
export const FUZZ_SEED = Number(process.env["PAGESPAN_FUZZ_SEED"] ?? 20_261_120)
const FUZZ_SECONDS = process.env["PAGESPAN_FUZZ_SECONDS"]
/** The time limit of a test that fuzzes. It ends a test that hangs. */
export const FUZZ_LIMIT_MS = Number(FUZZ_SECONDS ?? DEFAULT_SECONDS) * 2_000 + 120_000

/**
 * Runs generated inputs for the configured time, at a lower priority than other test files. What breaks a promise joins the
 * corpus: an input whose run rejects or hangs, and the current one when an exception is thrown beside it.
 *
 * @throws {AggregateError} with all findings.
 */
export async function fuzz<Input>(fuzzer: Fuzzer<Input>): Promise<Fuzzed> {
  const { name, leastInputs, generate, run, seconds = DEFAULT_SECONDS } = fuzzer
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  const random = new Random(FUZZ_SEED)
  const outcomes = new Map<string | number, number>()
  const findings: Error[] = []
  let input: Input | undefined
  const found = (error: unknown) => {
    if (input === undefined) return
    addToCorpus(name, `seed ${FUZZ_SEED}: ${firstLine(error)}`, input)
    findings.push(error instanceof Error ? error : new Error(String(error)))
    input = undefined
  }
  process.on("uncaughtException", found).on("unhandledRejection", found)
  onTestFailed(() => found("the test ended"))
  console.log(`fuzz ${name}: seed ${FUZZ_SEED}`)
  const end = performance.now() + Number(FUZZ_SECONDS ?? seconds) * 1_000
  let inputs = 0
  try {
    for (; (inputs < leastInputs || performance.now() < end) && findings.length < FINDING_LIMIT; inputs += 1) {
      input = generate(random)
      const startedAt = performance.now()
      try {
        for (const outcome of await run(input)) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
        const took = performance.now() - startedAt
        if (took > HANG_MS) throw new Error(`it took ${Math.round(took / 1_000)} s`)
      } catch (error) {
        found(error)
      }
    }
  } finally {
    input = undefined
    process.off("uncaughtException", found).off("unhandledRejection", found)
  }
  const counts = [...outcomes].map(([outcome, count]) => `${outcome}: ${count}`).join(", ")
  console.log(`fuzz ${name}: ${inputs} inputs, ${findings.length} findings; ${counts}`)
  if (findings.length > 0) throw new AggregateError(findings, findings.map(({ message }) => message).join("\n"))
  return { inputs, outcomes }
}

/** Runs each input of the fuzzer's corpus. Returns their number. */
export async function replay<Input>({ name, run }: Pick<Fuzzer<Input>, "name" | "run">): Promise<number> {
  const entries = readCorpus<Input>(name)
  for (const { what, input } of entries)
    await run(input).catch((cause: unknown) => {
      throw new Error(`${what}: ${firstLine(cause)}`, { cause })
    })
  return entries.length
}

/** An attack, or what a fuzzer found. */
export interface CorpusEntry<Input> {
  readonly what: string
  readonly input: Input
}

export function readCorpus<Input>(name: string, corpora: string = CORPORA): readonly CorpusEntry<Input>[] {
  const folder = join(corpora, name)
  if (!existsSync(folder)) return []
  return readdirSync(folder).map(
    (file) => JSON.parse(readFileSync(join(folder, file), "utf8"), revive) as CorpusEntry<Input>,
  )
}

/** Adds an input to a corpus, under a name that the input determines. It consists of JSON values and `Uint8Array`. */
export function addToCorpus(name: string, what: string, input: unknown, corpora: string = CORPORA): void {
  const folder = join(corpora, name)
  const id = createHash("sha256").update(JSON.stringify(input, replace)).digest("hex").slice(0, 16)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${id}.json`), `${JSON.stringify({ what, input }, replace, 2)}\n`)
  console.error(`a fuzzer found ${join(folder, `${id}.json`)}: commit it`)
}

/** Bytes as base64. `JSON.stringify` calls a `Buffer`'s own `toJSON` before the replacer. */
function replace(this: unknown, key: string, value: unknown): unknown {
  const raw = (this as Record<string, unknown>)[key]
  return raw instanceof Uint8Array ? { base64: Buffer.from(raw).toString("base64") } : value
}

function revive(_key: string, value: unknown): unknown {
  const { base64 } = (value ?? {}) as { base64?: unknown }
  return typeof base64 === "string" ? Buffer.from(base64, "base64") : value
}

function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error)
    .split("\n")[0]!
    .slice(0, 200)
}
