import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, onTestFinished, test } from "vitest"
import { bundledProgram } from "#tests/support/bundled-program.ts"
import { temporaryDirectory } from "#tests/inspector/ingest/receiver-under-test.ts"

const PROGRAM = fileURLToPath(new URL("lock-process.ts", import.meta.url))
const STARTS = 4
const ROUNDS = 50

async function starters(): Promise<ChildProcess[]> {
  const program = await bundledProgram(PROGRAM)
  const children = Array.from({ length: STARTS }, () => fork(program, [], { execArgv: [] }))
  onTestFinished(() => children.forEach((child) => child.kill("SIGKILL")))
  await Promise.all(children.map((child) => once(child, "message")))
  return children
}

async function ask(child: ChildProcess, message: object): Promise<string> {
  const answer = once(child, "message")
  child.send(message)
  return ((await answer) as [string])[0]
}

/** What each process got, until one of them has the journal: losers of a tie try again, as the journal does. */
async function race(children: readonly ChildProcess[], directory: string): Promise<string[]> {
  for (;;) {
    const outcomes = await Promise.all(children.map((child) => ask(child, { lock: directory })))
    if (outcomes.includes("open")) return outcomes
  }
}

test("of several starts on the journal of a dead process exactly one opens it", async () => {
  const children = await starters()
  for (let round = 0; round < ROUNDS; round += 1) {
    const directory = await temporaryDirectory()
    // No process has this id.
    await writeFile(join(directory, "lock"), "999999999")
    const outcomes = await race(children, directory)
    expect(
      outcomes.filter((outcome) => outcome === "open"),
      `round ${round}: ${outcomes.join(", ")}`,
    ).toHaveLength(1)
    const owner = children[outcomes.indexOf("open")]!
    for (const other of children.filter((child) => child !== owner))
      expect(await ask(other, { lock: directory })).toBe("in use")
    expect(await ask(owner, { unlock: directory })).toBe("released")
    expect(await readdir(directory)).toStrictEqual([])
  }
})

test("a start that was killed while it replaced the lock does not keep the next one out", async () => {
  const [child] = await starters()
  const directory = await temporaryDirectory()
  await writeFile(join(directory, "lock"), "999999999")
  await writeFile(join(directory, "lock.replacing"), "999999998")
  expect(await race([child!], directory)).toStrictEqual(["open"])
})
