import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs"
import { basename, dirname, join } from "node:path"
import { describe, expect, test } from "vitest"
import { installEngine } from "#otel/cli/server/engine.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"
import { waitFor } from "#tests/support/wait-for.ts"

const END_OF_A_PROCESS = 2 ** 22 + 1

async function cache() {
  return join(await temporaryDirectory(), "pagespan", "chdb@1.0.0")
}

/** What npm leaves in a directory. */
function unpack(directory: string): void {
  mkdirSync(join(directory, "node_modules/chdb"), { recursive: true })
  writeFileSync(join(directory, "node_modules/chdb/package.json"), "{}")
}

test("the engine has its name in the cache only once it is complete", async () => {
  const directory = await cache()
  const seen: boolean[] = []
  const modules = await installEngine(directory, async (own) => {
    expect(readdirSync(own)).toEqual(["package-lock.json", "package.json"])
    unpack(own)
    seen.push(existsSync(directory))
    return 0
  })
  expect([modules, seen]).toEqual([join(directory, "node_modules"), [false]])
  expect(readdirSync(dirname(directory))).toEqual(["chdb@1.0.0"])
  await installEngine(directory, () => expect.unreachable("it is installed"))
})

test("a failed installation leaves nothing, and the next start tries again", async () => {
  const directory = await cache()
  const failing = installEngine(directory, async (own) => {
    unpack(own)
    return 1
  })
  await expect(failing).rejects.toThrow("could not be installed")
  expect(readdirSync(dirname(directory))).toEqual([])
  await installEngine(directory, async (own) => (unpack(own), 0))
  expect(existsSync(join(directory, "node_modules/chdb/package.json"))).toBe(true)
})

test("what an earlier version left halfway under the engine's name is replaced", async () => {
  const directory = await cache()
  mkdirSync(join(directory, "node_modules/half"), { recursive: true })
  await installEngine(directory, async (own) => (unpack(own), 0))
  expect(readdirSync(join(directory, "node_modules"))).toEqual(["chdb"])
})

test("what a process that was ended halfway left is removed, and an engine that another one installed meanwhile is used", async () => {
  const directory = await cache()
  unpack(`${directory}.${END_OF_A_PROCESS}`)
  mkdirSync(join(directory, "node_modules"), { recursive: true })
  await installEngine(directory, async (own) => {
    unpack(own)
    unpack(directory)
    writeFileSync(join(directory, "of-another-process"), "")
    return 0
  })
  expect(readdirSync(dirname(directory))).toEqual(["chdb@1.0.0"])
  expect(readdirSync(directory)).toContain("of-another-process")
})

test("an installation of another container, in which a process has its id, is left alone until that process ends", async () => {
  const directory = await cache()
  let finish: ((code: number) => void) | undefined
  const theirs = new Promise<string>((started) => {
    const installing = installEngine(directory, (own) => {
      started(own)
      return new Promise((done) => (finish = done))
    })
    installing.catch(() => undefined)
  })
  const own = await theirs
  // As another container sees it: the process with this id is no process here.
  const file = `${own}.owner`
  writeFileSync(file, readFileSync(file, "utf8").replace(String(process.pid), String(END_OF_A_PROCESS)))
  await expect(installEngine(directory, async () => 1)).rejects.toThrow("could not be installed")
  expect(readdirSync(own)).toEqual(["package-lock.json", "package.json"])
  finish?.(1)
  await waitFor("the end of the installation", () => readdirSync(dirname(directory)).length === 0)
})

test("an installation that was ended halfway is removed although another process has its id by now", async () => {
  const directory = await cache()
  const own = `${directory}.${process.ppid}`
  unpack(own)
  const ended = `${basename(directory)}.0123456789abcdef.socket`
  writeFileSync(join(dirname(directory), ended), "")
  writeFileSync(`${own}.owner`, `${process.ppid}\n${ended}\n`)
  await installEngine(directory, async (path) => (unpack(path), 0))
  expect(readdirSync(dirname(directory))).toEqual(["chdb@1.0.0"])
})

test("an engine that others could replace becomes writable by its user only", async () => {
  const directory = await cache()
  unpack(directory)
  const open = [
    dirname(directory),
    directory,
    join(directory, "node_modules"),
    join(directory, "node_modules/chdb/package.json"),
  ]
  for (const path of open) chmodSync(path, 0o777)
  await installEngine(directory, () => expect.unreachable("it is installed"))
  expect(open.map((path) => lstatSync(path).mode & 0o022)).toEqual(open.map(() => 0))
})

describe.skipIf(process.getuid?.() !== 0)("code of another user (needs root)", () => {
  const NOBODY = 65_534

  test.each([
    ["a cache of that user in a directory of all", 0o755, "pagespan"],
    ["an engine in a cache that others can write to", 0o777, "pagespan/chdb@1.0.0"],
    [
      "a file of the engine in a folder that others can write to",
      0o777,
      "pagespan/chdb@1.0.0/node_modules/chdb/package.json",
    ],
  ])("is not run: %s", async (_name, mode, theirs) => {
    const directory = await cache()
    unpack(directory)
    const foreign = join(directory, "../..", theirs)
    chownSync(foreign, NOBODY, NOBODY)
    for (const path of [dirname(foreign), dirname(directory)]) chmodSync(path, mode)
    for (let start = 0; start < 2; start += 1)
      await expect(installEngine(directory, () => expect.unreachable("it is not replaced"))).rejects.toThrow(
        `${foreign} belongs to another user or can be written by one: remove it, or set XDG_CACHE_HOME`,
      )
  })

  test("is run if the cache itself is that user's, as with sudo", async () => {
    const directory = await cache()
    unpack(directory)
    for (const path of [join(directory, "../.."), dirname(directory), directory]) chownSync(path, NOBODY, NOBODY)
    chmodSync(dirname(directory), 0o777)
    expect(await installEngine(directory, () => expect.unreachable("it is installed"))).toBe(
      join(directory, "node_modules"),
    )
  })
})
