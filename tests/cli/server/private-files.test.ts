import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { prepareDataDirectory } from "#otel/cli/server/data-directory.ts"
import { freePort } from "#tests/support/free-port.ts"
import { RunningApp } from "#tests/support/running-app.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"
import { waitFor } from "#tests/support/wait-for.ts"

const TRACE = "d".repeat(32)
const NOBODY = 65_534

async function start(directory: string): Promise<RunningApp> {
  const app = await RunningApp.launch({
    PAGESPAN_DATA: directory,
    PAGESPAN_SELF: "off",
    // Nothing listens there, so that forwarded records wait on disk.
    PAGESPAN_FORWARD_OTLP: `http://127.0.0.1:${await freePort()}`,
    PAGESPAN_FORWARD_ALLOWED_ADDRESSES: "127.0.0.1",
  })
  onTestFinished(async () => void (await app.stop("SIGKILL")))
  await app.ready()
  return app
}

async function ingest(app: RunningApp, traceId: string): Promise<void> {
  const startTimeUnixNano = `${Date.now()}000000`
  const span = {
    traceId,
    spanId: "00000000000000d1",
    name: "private",
    startTimeUnixNano,
    endTimeUnixNano: startTimeUnixNano,
  }
  const answer = await fetch(`${app.url}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }),
  })
  expect(answer.status).toBe(200)
  await waitFor("the trace", async () => (await fetch(`${app.url}/api/traces/${traceId}`)).ok)
}

/** Does what makes an inspector create the entries that others do not. */
async function useEveryFolder({ url }: RunningApp): Promise<void> {
  const json = { "content-type": "application/json" }
  const filter = JSON.stringify({ name: "failed", screen: "traces", parameters: { q: "status:error" } })
  const map = JSON.stringify({ version: 3, sources: [], names: [], mappings: "" })
  const debugId = "0f883d09-0506-43e6-aa8e-fe5eb9eee3f9"
  const made = [
    await fetch(`${url}/api/filters`, { method: "POST", headers: json, body: filter }),
    await fetch(`${url}/api/source-maps/${debugId}?path=/a.js`, { method: "POST", body: map }),
  ]
  expect(made.map(({ ok }) => ok)).toEqual([true, true])
}

function modeOf(path: string): string {
  return (lstatSync(path).mode & 0o777).toString(8)
}

/** A path and everything below it, without symbolic links. The store may delete an entry during the walk. */
function entriesBelow(path: string): string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined || stats.isSymbolicLink()) return []
  return stats.isDirectory() ? [path, ...namesIn(path).flatMap((name) => entriesBelow(join(path, name)))] : [path]
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return []
    throw error
  }
}

/** The entries at and below the path that other users may read, write or enter, and the number of entries checked. */
function sharedBelow(path: string): { readonly shared: string[]; readonly checked: number } {
  const modes = entriesBelow(path).flatMap((each) => {
    const stats = lstatSync(each, { throwIfNoEntry: false })
    return stats === undefined ? [] : [{ path: each, mode: stats.mode }]
  })
  const shared = modes.filter(({ mode }) => (mode & 0o077) !== 0)
  return { shared: shared.map((each) => `${(each.mode & 0o777).toString(8)} ${each.path}`), checked: modes.length }
}

function share(path: string): void {
  for (const each of entriesBelow(path)) chmodSync(each, lstatSync(each).isDirectory() ? 0o755 : 0o644)
}

test("only its user can read the files of an inspector, including those of an earlier version", async () => {
  const directory = join(await temporaryDirectory(), "data")
  const first = await start(directory)
  await ingest(first, TRACE)
  await useEveryFolder(first)
  await waitFor("a delivery that waits", () => entriesBelow(join(directory, "forward")).length > 2)
  expect(readdirSync(directory).sort()).toEqual([
    ".gitignore",
    "forward",
    "journal",
    "saved-filters.json",
    "source-maps",
    "store",
  ])
  const { shared, checked } = sharedBelow(directory)
  expect(shared).toEqual([])
  expect(checked).toBeGreaterThan(20)
  expect(await first.stop()).toEqual({ code: 0, signal: null })

  share(directory)
  expect(sharedBelow(directory).shared.length).toBeGreaterThan(20)
  const second = await start(directory)
  await ingest(second, TRACE.replaceAll("d", "e"))
  expect((await fetch(`${second.url}/api/traces/${TRACE}`)).status).toBe(200)
  expect(sharedBelow(directory).shared).toEqual([])
  expect(await second.stop()).toEqual({ code: 0, signal: null })
})

test("a directory with other entries keeps its mode, their modes and its .gitignore", async () => {
  const directory = await temporaryDirectory()
  const outside = await temporaryDirectory()
  const theirs = [join(directory, "notes.txt"), join(directory, ".gitignore"), join(outside, "elsewhere")]
  for (const file of theirs) writeFileSync(file, "theirs")
  mkdirSync(join(directory, "journal"))
  writeFileSync(join(directory, "journal/000000000000001.journal"), "records")
  symlinkSync(outside, join(directory, "journal/link"))
  for (const path of [...theirs, join(directory, "journal/000000000000001.journal")]) chmodSync(path, 0o644)
  for (const path of [directory, outside, join(directory, "journal")]) chmodSync(path, 0o755)
  await prepareDataDirectory(directory)
  expect([directory, outside].map(modeOf)).toEqual(["755", "755"])
  expect(readFileSync(join(directory, ".gitignore"), "utf8")).toBe("theirs")
  expect(modeOf(join(directory, "notes.txt"))).toBe("644")
  expect(modeOf(join(outside, "elsewhere"))).toBe("644")
  expect(modeOf(join(directory, "journal"))).toBe("700")
  expect(modeOf(join(directory, "journal/000000000000001.journal"))).toBe("600")
})

test("a directory of another user that others can write to is refused in one line, and does not change", async () => {
  // Only root can change the owner. Other users test with the directory for temporary files, which belongs to root.
  const isRoot = process.getuid?.() === 0
  const directory = isRoot ? await temporaryDirectory() : tmpdir()
  if (isRoot) {
    chownSync(directory, NOBODY, NOBODY)
    chmodSync(directory, 0o777)
  }
  const app = await RunningApp.launch({ PAGESPAN_DATA: directory })
  onTestFinished(async () => void (await app.stop("SIGKILL")))
  expect((await app.exited).code).toBe(1)
  expect(app.output.trim()).toBe(
    `PAGESPAN_DATA is "${directory}", which belongs to another user and which others can write to: set it to a directory inside, like ${join(directory, "pagespan")}`,
  )
  if (isRoot) expect([modeOf(directory), readdirSync(directory)]).toEqual(["777", []])
})
