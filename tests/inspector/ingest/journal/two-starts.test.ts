import { type ChildProcess, fork, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, onTestFinished, test } from "vitest"
import { bundledProgram } from "#tests/support/bundled-program.ts"
import { temporaryDirectory } from "#tests/inspector/ingest/receiver-under-test.ts"

const PROGRAM = fileURLToPath(new URL("lock-process.ts", import.meta.url))
const STARTS = 4
const ROUNDS = 50
/** Starts a program as process 1 of a namespace of its own, as in a container. */
const CONTAINER = ["unshare", "--pid", "--fork", "--kill-child"]
const hasContainers = spawnSync(CONTAINER[0]!, [...CONTAINER.slice(1), "true"]).status === 0

async function starters({ inContainers = false } = {}): Promise<ChildProcess[]> {
  const program = await bundledProgram(PROGRAM)
  const start = () => {
    if (!inContainers) return fork(program, [], { execArgv: [] })
    const [command = "", ...parameters] = [...CONTAINER, process.execPath, program]
    // `unshare` complains that its child was killed.
    return spawn(command, parameters, { stdio: ["ignore", "inherit", "ignore", "ipc"] })
  }
  const children = Array.from({ length: STARTS }, start)
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

/** Resolves when the program has ended. In a container it is the child of `unshare`, which ends after it. */
async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit")
  const children = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").catch(() => "")
  process.kill(Number(children.trim().split(" ")[0]) || child.pid!, "SIGKILL")
  await exited
}

test("a journal whose owner was killed opens although another process has the owner's id by now", async () => {
  const [killed, next] = await starters()
  const directory = await temporaryDirectory()
  expect(await ask(killed!, { lock: directory })).toBe("open")
  await kill(killed!)
  const lock = join(directory, "lock")
  await writeFile(lock, (await readFile(lock, "utf8")).replace(String(killed!.pid), String(process.pid)))
  expect(await ask(next!, { lock: directory })).toBe("open")
  expect(await ask(next!, { unlock: directory })).toBe("released")
  expect(await readdir(directory)).toStrictEqual([])
})

test.skipIf(!hasContainers)(
  "of two containers on one volume, whose processes have the same id, one opens the journal (needs unshare)",
  async () => {
    const [first, second, third] = await starters({ inContainers: true })
    const directory = await temporaryDirectory()
    expect(await ask(first!, { lock: directory })).toBe("open")
    expect(await readFile(join(directory, "lock"), "utf8")).toMatch(/^1\b/)
    expect(await ask(second!, { lock: directory })).toBe("in use")
    await kill(first!)
    expect(await ask(third!, { lock: directory })).toBe("open")
    expect(await ask(second!, { lock: directory })).toBe("in use")
  },
)

test("a directory with a path too long for a socket has one owner too, until it ends", async () => {
  const [killed, other] = await starters()
  const directory = join(await temporaryDirectory(), "long".repeat(30))
  await mkdir(directory)
  expect(await ask(killed!, { lock: directory })).toBe("open")
  expect(await ask(other!, { lock: directory })).toBe("in use")
  await kill(killed!)
  const lock = join(directory, "lock")
  await writeFile(lock, (await readFile(lock, "utf8")).replace(String(killed!.pid), String(process.pid)))
  expect(await ask(other!, { lock: directory })).toBe("open")
  expect(await ask(other!, { unlock: directory })).toBe("released")
})

test("a process that is stopped keeps its journal", async () => {
  const [stopped, other] = await starters()
  const directory = await temporaryDirectory()
  expect(await ask(stopped!, { lock: directory })).toBe("open")
  stopped!.kill("SIGSTOP")
  expect(await ask(other!, { lock: directory })).toBe("in use")
})
