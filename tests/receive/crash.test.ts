import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { expect, onTestFinished, test } from "vitest"
import { startReceiver, temporaryDirectory } from "./receiver-under-test.ts"

/** How many kills: any number by hand, each after another number of batches. */
const KILLS = Number(process.env["PAGESPAN_KILLS"] ?? 3)
const BATCHES_BEFORE = Array.from({ length: KILLS }, (_, kill) => [1, 150, 700][kill] ?? 1 + ((kill * 389) % 1_000))

const PROGRAM = fileURLToPath(new URL("receiver-process.ts", import.meta.url))

/** Starts the program, under a limit on the size of files where one is given (in blocks of 512 bytes). */
function start(directory: string, batches: number, fileBlocks = "unlimited"): ChildProcess {
  const child = spawn(
    "/bin/sh",
    [
      "-c",
      'ulimit -f "$0"; exec "$@"',
      fileBlocks,
      process.execPath,
      "--import",
      "tsx",
      PROGRAM,
      directory,
      String(batches),
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  )
  onTestFinished(() => {
    child.kill("SIGKILL")
  })
  return child
}

/** The numbers of the batches with this outcome; stops reading when `isEnough` says so. */
async function outcomes(child: ChildProcess, isEnough: (acknowledged: number) => boolean) {
  // A process that is dead but not yet reaped still looks alive to the lock of its journal.
  const exit = once(child, "exit")
  const accepted: number[] = []
  const refused: number[] = []
  for await (const line of createInterface({ input: child.stdout! })) {
    const [outcome, number] = line.split(" ")
    if (outcome === "accepted") accepted.push(Number(number))
    else refused.push(Number(number))
    if (isEnough(accepted.length)) child.kill("SIGKILL")
  }
  await exit
  return { accepted, refused }
}

function names(batches: readonly number[]): string[] {
  return batches.flatMap((batch) => Array.from({ length: 10 }, (_, index) => `span ${batch * 10 + index}`)).sort()
}

test.each(BATCHES_BEFORE)(
  "killed after %i acknowledged batches, every one of them reaches the store",
  async (count) => {
    const directory = await temporaryDirectory()
    const { accepted } = await outcomes(start(directory, 100_000), (acknowledged) => acknowledged >= count)
    expect(accepted.length).toBeGreaterThanOrEqual(count)
    const { receiver, sink } = await startReceiver({ journalDirectory: directory, drainLimitMs: 10_000 })
    await receiver.close()
    const stored = sink.spans.map(({ name }) => name)
    expect(stored).toStrictEqual(expect.arrayContaining(names(accepted)))
    expect(new Set(stored).size).toBe(stored.length)
    // What was on its way when the process died may be there as well: at most one batch for each of the eight workers.
    expect(stored.length - accepted.length * 10).toBeLessThanOrEqual(80)
  },
)

test("writes that the system refuses are refused to the client, the rest is kept, and it goes on", async () => {
  const directory = await temporaryDirectory()
  const child = start(directory, 400, "128")
  const { accepted, refused } = await outcomes(child, () => false)
  expect(refused.length).toBeGreaterThan(0)
  expect(accepted.length).toBeGreaterThan(100)
  expect(Math.max(...accepted)).toBeGreaterThan(Math.min(...refused))
  const { receiver, sink } = await startReceiver({ journalDirectory: directory, drainLimitMs: 10_000 })
  await receiver.close()
  expect(sink.spans.map(({ name }) => name).sort()).toStrictEqual(names(accepted))
})
