import { appendFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { firstScreen, NumberedTraces, traceUrl } from "#tests/support/numbered-traces.ts"
import { RunningApp } from "#tests/support/running-app.ts"
import { coverReadOnly, mountFailingDisk, mountSmallDisk } from "#tests/support/small-disk.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"
import { waitFor } from "#tests/support/wait-for.ts"

async function launch(directory: string, environment: Record<string, string> = {}): Promise<RunningApp> {
  const app = await RunningApp.launch({ PAGESPAN_SELF: "off", PAGESPAN_DATA: directory, ...environment })
  onTestFinished(async () => void (await app.stop("SIGKILL")))
  return app
}

async function expectUnhealthy(app: RunningApp): Promise<void> {
  const health = await fetch(`${app.url}/health`)
  expect([health.status, await health.json()]).toMatchObject([503, { status: "journal unavailable" }])
}

test("on a full disk the screens say so and what to do, and everything acknowledged is stored once there is space", async (context) => {
  const directory = await temporaryDirectory()
  if (!mountSmallDisk(directory, "size=96m,mode=700")) return context.skip("needs the right to mount a file system")
  const app = await launch(directory)
  await app.ready()
  const sender = new NumberedTraces(app)
  for (let count = 0; count < 10; count += 1) expect(await sender.next()).toBe(200)
  const filler = join(directory, "filler")
  const fill = () => expect(() => appendFileSync(filler, Buffer.alloc(96 * 2 ** 20))).toThrow(/ENOSPC/)
  const sentence = `The journal in ${directory}/journal cannot be written: the disk is full. Free some space on it. Until then new data is refused.`
  fill()
  await sender.untilRefused()
  await waitFor("the sentence", async () => {
    if ((await firstScreen(app)).includes(sentence)) return true
    // The engine may free what a merge has used, and then the journal writes again.
    fill()
    await sender.next()
    return false
  })
  await expectUnhealthy(app)

  rmSync(filler)
  // No request arrives meanwhile: a load balancer sends none to an inspector that is not healthy.
  await waitFor("health", async () => (await fetch(`${app.url}/health`)).ok)
  expect(await firstScreen(app)).not.toContain("the disk is full")
  expect(await sender.next()).toBe(200)
  await sender.expectStored(app)
})

/** Nothing listens on this port. */
const UNREACHABLE = "http://127.0.0.1:9"

test("a start on a full disk says so and what to do, and stores everything acknowledged once there is space", async (context) => {
  const directory = await temporaryDirectory()
  if (!mountSmallDisk(directory, "size=96m,mode=700")) return context.skip("needs the right to mount a file system")
  const app = await launch(directory, { CLICKHOUSE_URL: UNREACHABLE })
  const sender = new NumberedTraces(app)
  await waitFor("the address", () => /^Pagespan is on /m.test(app.output))
  for (let count = 0; count < 10; count += 1) expect(await sender.next()).toBe(200)
  await app.stop("SIGKILL")
  const filler = join(directory, "filler")
  expect(() => writeFileSync(filler, Buffer.alloc(96 * 2 ** 20))).toThrow(/ENOSPC/)

  const again = await launch(directory)
  await waitFor("the address", () => /^Pagespan is on /m.test(again.output))
  const ofJournal = `The journal in ${directory}/journal cannot be written: the disk is full. Free some space on it. Until then new data is refused.`
  // Of the directory or of ClickHouse, whichever notices first.
  const ofStore =
    /(?:store directory \S+ cannot be created: the disk is full|its disk is full \(code 243\))\. Free some space on it\./
  await waitFor("the sentences", async () => {
    const shown = await firstScreen(again)
    return shown.includes(ofJournal) && ofStore.test(shown)
  })
  await expectUnhealthy(again)
  rmSync(filler)
  await sender.expectStored(again)
})

const READ_ONLY =
  "cannot be written: the file system is read-only. Mount it for writing, or set PAGESPAN_DATA to another directory. Until then new data is refused."

test("on a disk that becomes read-only the screens say so and what to do, queries work, and everything acknowledged is stored once it is writable", async (context) => {
  const directory = await temporaryDirectory()
  if (!mountSmallDisk(directory, "size=256m,mode=700")) return context.skip("needs the right to mount a file system")
  // Small files of the journal, so that it needs a new one soon.
  const app = await launch(directory, { PAGESPAN_JOURNAL: "8MB" })
  await app.ready()
  const sender = new NumberedTraces(app)
  for (let count = 0; count < 10; count += 1) expect(await sender.next()).toBe(200)
  await sender.expectStored(app)

  const makeWritable = coverReadOnly(directory)
  // The journal's open file still takes some.
  expect(await sender.next()).toBe(200)
  // The error code is of what ClickHouse wants to write first.
  const sentence =
    /ClickHouse is unavailable: its disk is read-only \(code \d+\)\. Mount it for writing\. New data is accepted, and waits in the journal\./
  await waitFor("the store's sentence", async () => sentence.test(await firstScreen(app)))
  await sender.untilRefused()
  await waitFor("the sentence", async () =>
    (await firstScreen(app)).includes(`The journal in ${directory}/journal ${READ_ONLY}`),
  )
  await expectUnhealthy(app)
  expect((await fetch(traceUrl(app, 1))).status).toBe(200)

  makeWritable()
  await waitFor("health", async () => (await fetch(`${app.url}/health`)).ok)
  expect(await firstScreen(app)).not.toContain("read-only")
  expect(await sender.next()).toBe(200)
  await sender.expectStored(app)
})

test("after a failure that makes the disk read-only, a start on the repaired one stores everything acknowledged", async (context) => {
  const directory = await temporaryDirectory()
  const disk = mountFailingDisk(directory, join(await temporaryDirectory(), "image"))
  if (disk === undefined) return context.skip("needs the right to mount a file system")
  // Only with `sync` does an acknowledged batch survive a disk that fails.
  const app = await launch(directory, { PAGESPAN_JOURNAL: "64MB,sync" })
  await app.ready()
  const sender = new NumberedTraces(app)
  for (let count = 0; count < 10; count += 1) expect(await sender.next()).toBe(200)

  disk.becomeReadOnly()
  await sender.untilRefused()
  await waitFor("the sentence", async () =>
    (await firstScreen(app)).includes(`The journal in ${directory}/journal ${READ_ONLY}`),
  )
  await expectUnhealthy(app)
  await app.stop()

  await disk.repair()
  const again = await launch(directory)
  await again.ready()
  await sender.expectStored(again)
})

test("on a read-only disk a start fails with the directory and what to do", async (context) => {
  const directory = await temporaryDirectory()
  if (!mountSmallDisk(directory, "size=1m,mode=700,ro")) return context.skip("needs the right to mount a file system")
  const app = await launch(directory)
  expect((await app.exited).code).toBeGreaterThan(0)
  expect(app.output.trim()).toBe(
    `PAGESPAN_DATA is ${JSON.stringify(directory)}, which cannot be written (EROFS): set it to a directory that you can write to`,
  )
})
