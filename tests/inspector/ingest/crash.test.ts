import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { expect, onTestFinished, test } from "vitest"
import { bundledProgram } from "#tests/support/bundled-program.ts"
import { KILLS } from "#tests/support/kills.ts"
import { startReceiver, temporaryDirectory } from "./receiver-under-test.ts"

const PROGRAM = fileURLToPath(new URL("receiver-process.ts", import.meta.url))
/** More than a process ingests before it is killed. */
const MANY_BATCHES = 100_000
/** The maximum number of acknowledged batches before a kill. */
const LATEST_KILL = 250

interface Run {
  readonly program: string
  readonly directory: string
  readonly batches: number
  /** The number of the first batch. Default: 0. */
  readonly first?: number
  /** The maximum size of a file that the system lets the process write, in blocks of 512 bytes. */
  readonly fileBlocks?: number
}

function start({ program, directory, batches, first = 0, fileBlocks }: Run): ChildProcess {
  const limit = ["-c", 'ulimit -f "$0"; exec "$@"', String(fileBlocks ?? "unlimited")]
  const run = [process.execPath, program, directory, String(batches), String(first)]
  const child = spawn("/bin/sh", [...limit, ...run], { stdio: ["ignore", "pipe", "inherit"] })
  onTestFinished(() => {
    child.kill("SIGKILL")
  })
  return child
}

/** The numbers of the accepted and the refused batches, and how the process ended, which gets the signal once `isEnough` returns true. */
async function outcomes(
  child: ChildProcess,
  isEnough: (acknowledged: number) => boolean,
  signal: "SIGKILL" | "SIGTERM" = "SIGKILL",
) {
  // Until a dead process is reaped, the lock of its journal takes it for alive.
  const exit = once(child, "exit") as Promise<[code: number | null]>
  const accepted: number[] = []
  const refused: number[] = []
  for await (const line of createInterface({ input: child.stdout! })) {
    const [outcome, number] = line.split(" ")
    if (outcome === "accepted") accepted.push(Number(number))
    else refused.push(Number(number))
    if (!child.killed && isEnough(accepted.length)) child.kill(signal)
  }
  const [code] = await exit
  return { accepted, refused, code }
}

function names(batches: readonly number[]): string[] {
  return batches.flatMap((batch) => Array.from({ length: 10 }, (_, index) => `span ${batch * 10 + index}`)).sort()
}

test(
  `after ${KILLS} kills under load, the store has every acknowledged batch`,
  async () => {
    const [directory, program] = await Promise.all([temporaryDirectory(), bundledProgram(PROGRAM)])
    const acknowledged: number[] = []
    for (let kill = 0; kill < KILLS; kill++) {
      const count = 1 + Math.floor(Math.random() * LATEST_KILL)
      const child = start({ program, directory, batches: MANY_BATCHES, first: kill * MANY_BATCHES })
      const { accepted } = await outcomes(child, (soFar) => soFar >= count)
      expect(accepted.length).toBeGreaterThanOrEqual(count)
      acknowledged.push(...accepted)
    }
    const { receiver, sink } = await startReceiver({ journalDirectory: directory, drainLimitMs: 30_000 })
    await receiver.close()
    const stored = new Set(sink.spans.map(({ name }) => name))
    console.info(`${KILLS} kills: ${acknowledged.length} batches acknowledged, ${stored.size / 10} stored`)
    expect(names(acknowledged).filter((name) => !stored.has(name))).toEqual([])
    expect(sink.spans).toHaveLength(stored.size)
    // Batches in flight during a kill may be stored as well: at most one for each of the eight workers.
    expect(stored.size - acknowledged.length * 10).toBeLessThanOrEqual(KILLS * 80)
  },
  60_000 + KILLS * 2_000,
)

test(
  `after ${KILLS} clean stops under load, each of which ended, the store has every acknowledged batch once`,
  async () => {
    const [directory, program] = await Promise.all([temporaryDirectory(), bundledProgram(PROGRAM)])
    const acknowledged: number[] = []
    for (let stop = 0; stop < KILLS; stop++) {
      const count = 1 + Math.floor(Math.random() * LATEST_KILL)
      const child = start({ program, directory, batches: MANY_BATCHES, first: stop * MANY_BATCHES })
      const { accepted, code } = await outcomes(child, (soFar) => soFar >= count, "SIGTERM")
      expect(code).toBe(0)
      acknowledged.push(...accepted)
    }
    const { receiver, sink } = await startReceiver({ journalDirectory: directory, drainLimitMs: 30_000 })
    await receiver.close()
    const stored = new Set(sink.spans.map(({ name }) => name))
    expect(names(acknowledged).filter((name) => !stored.has(name))).toEqual([])
    expect(sink.spans).toHaveLength(stored.size)
  },
  60_000 + KILLS * 2_000,
)

test("a write that the system refuses is refused to the client, and the process continues with the others", async () => {
  const [directory, program] = await Promise.all([temporaryDirectory(), bundledProgram(PROGRAM)])
  const { accepted, refused } = await outcomes(
    start({ program, directory, batches: 400, fileBlocks: 128 }),
    () => false,
  )
  expect(refused.length).toBeGreaterThan(0)
  expect(accepted.length).toBeGreaterThan(100)
  expect(Math.max(...accepted)).toBeGreaterThan(Math.min(...refused))
  const { receiver, sink } = await startReceiver({ journalDirectory: directory, drainLimitMs: 10_000 })
  await receiver.close()
  expect(sink.spans.map(({ name }) => name).sort()).toStrictEqual(names(accepted))
})
