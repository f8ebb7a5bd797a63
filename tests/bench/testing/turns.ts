import { spawn } from "node:child_process"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { cleanEnvironment } from "#tests/support/running-app.ts"

/** A suite of tests that runs with and without Pagespan. */
export interface Suite {
  readonly name: string
  readonly directory: string
  /** Arguments of `node`, of a run without Pagespan and of one with it. */
  readonly plain: readonly string[]
  readonly traced: readonly string[]
}

/** In seconds, of a program and its children. */
interface Times {
  readonly wall: number
  readonly cpu: number
}

const KINDS = ["plain", "traced"] as const

/**
 * Runs the suite with and without Pagespan in turns. Prints what Pagespan adds to wall time and to CPU time: the mean of the
 * differences of the pairs, and its standard error.
 *
 * @param afterEach called after each run.
 * @throws {Error} if a run fails, with the file that has its output.
 */
export async function compareInTurns(suite: Suite, rounds: number, afterEach: () => void): Promise<void> {
  const log = join(suite.directory, "pagespan-bench.log")
  const times = { plain: [] as Times[], traced: [] as Times[] }
  for (let round = 0; round < rounds; round++) {
    // What ran before changes what a run takes by some percent: a server works on what the last run sent.
    for (const kind of round % 2 === 0 ? KINDS : KINDS.toReversed()) {
      times[kind].push(await run(suite[kind], suite.directory, log))
      afterEach()
    }
  }
  const tests = passedTests(readFileSync(log, "utf8"))
  rmSync(log)
  for (const what of ["wall", "cpu"] as const) {
    const plain = times.plain.map((time) => time[what])
    const { mean, error } = meanOf(times.traced.map((time, round) => time[what] - (plain[round] ?? 0)))
    const without = meanOf(plain).mean
    const percent = (seconds: number): string => ((seconds / without) * 100).toFixed(1)
    const eachMs = ((mean / tests) * 1_000).toFixed(1)
    console.log(
      `${suite.name}, ${tests} tests, ${what}: ${without.toFixed(1)} s without, ${mean.toFixed(2)} s more with, which is ${eachMs} ms a test, ${percent(mean)} % ± ${percent(error)}`,
    )
  }
}

async function run(program: readonly string[], cwd: string, log: string): Promise<Times> {
  const command = `TIMEFORMAT='%R %U %S'; time node ${program.join(" ")} > ${log} 2>&1`
  const child = spawn("bash", ["-c", command], {
    cwd,
    env: { ...cleanEnvironment(), PAGESPAN_URL: "http://127.0.0.1:9" } as unknown as NodeJS.ProcessEnv,
  })
  let output = ""
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()))
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve))
  if (code !== 0) throw new Error(`${command} ended with ${code}: see ${log}`)
  const [wall = 0, user = 0, system = 0] = output.trim().split(/\s+/).map(Number)
  return { wall, cpu: user + system }
}

/** Both frameworks end with the number of tests that passed. */
function passedTests(log: string): number {
  return Number([...log.matchAll(/(\d+) passed/g)].at(-1)?.[1])
}

function meanOf(values: readonly number[]): { readonly mean: number; readonly error: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return { mean, error: Math.sqrt(squares / (values.length - 1) / values.length) }
}
