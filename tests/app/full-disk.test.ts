import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { RunningApp } from "#tests/support/running-app.ts"
import { coverReadOnly, mountFailingDisk, mountSmallDisk } from "#tests/support/small-disk.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"
import { waitFor } from "#tests/support/wait-for.ts"

async function launch(directory: string, environment: Record<string, string> = {}): Promise<RunningApp> {
  const app = await RunningApp.launch({ PAGESPAN_SELF: "off", PAGESPAN_DATA: directory, ...environment })
  onTestFinished(async () => void (await app.stop("SIGKILL")))
  return app
}

const idOf = (number: number) => (0xd15c0000 + number).toString(16).padStart(32, "0")

/** Sends a trace with one span of about 40 kB. */
async function send(app: RunningApp, number: number): Promise<Response> {
  const now = `${Date.now()}000000`
  const attributes = [{ key: "text", value: { stringValue: Math.random().toString(36).repeat(3_000) } }]
  const span = { traceId: idOf(number), spanId: idOf(number).slice(16), name: `span ${number}`, attributes }
  const spans = [{ ...span, startTimeUnixNano: now, endTimeUnixNano: now }]
  const headers = { "content-type": "application/json" }
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })
  return fetch(`${app.url}/v1/traces`, { method: "POST", headers, body })
}

/** Sends one trace after another. A status other than 200 and 503 fails the test, and so does a 503 without `Retry-After`. */
class Sender {
  readonly acknowledged: number[] = []
  #sent = 0

  constructor(private readonly app: RunningApp) {}

  async next(): Promise<number> {
    const { status, headers } = await send(this.app, (this.#sent += 1))
    if (status === 200) this.acknowledged.push(this.#sent)
    else if (status !== 503 || !(Number(headers.get("retry-after")) > 0))
      throw new Error(`answered ${status}, Retry-After: ${headers.get("retry-after")}`)
    return status
  }

  async untilRefused(): Promise<void> {
    await waitFor("a refusal", async () => (await this.next()) === 503)
  }

  /** Waits until each acknowledged trace is stored. */
  async expectStored(app: RunningApp): Promise<void> {
    for (const id of this.acknowledged)
      await waitFor(`trace ${id}`, async () => (await fetch(`${app.url}/api/traces/${idOf(id)}`)).ok)
  }
}

async function expectUnhealthy(app: RunningApp): Promise<void> {
  const health = await fetch(`${app.url}/health`)
  expect([health.status, await health.json()]).toMatchObject([503, { status: "journal unavailable" }])
}

async function screen(app: RunningApp): Promise<string> {
  return (await (await fetch(`${app.url}/`)).text()).replaceAll(/<script[\s\S]*?<\/script>/g, "")
}

test("on a full disk the screens say so and what to do, and everything acknowledged is stored once there is space", async (context) => {
  const directory = await temporaryDirectory()
  if (!mountSmallDisk(directory, "size=96m,mode=700")) return context.skip("needs the right to mount a file system")
  const app = await launch(directory)
  await app.ready()
  const sender = new Sender(app)
  for (let count = 0; count < 10; count += 1) expect(await sender.next()).toBe(200)
  const filler = join(directory, "filler")
  expect(() => writeFileSync(filler, Buffer.alloc(96 * 2 ** 20))).toThrow(/ENOSPC/)
  await sender.untilRefused()
  await waitFor("the sentence", async () =>
    (await screen(app)).includes(
      `The journal in ${directory}/journal cannot be written: the disk is full. Free some space on it. Until then new data is refused.`,
    ),
  )
  await expectUnhealthy(app)

  rmSync(filler)
  // No request arrives meanwhile: a load balancer sends none to an inspector that is not healthy.
  await waitFor("health", async () => (await fetch(`${app.url}/health`)).ok)
  expect(await screen(app)).not.toContain("the disk is full")
  expect(await sender.next()).toBe(200)
  await sender.expectStored(app)
})

const READ_ONLY =
  "cannot be written: the file system is read-only. Mount it for writing, or set PAGESPAN_DATA to another directory. Until then new data is refused."

test("on a disk that becomes read-only the screens say so and what to do, queries work, and everything acknowledged is stored once it is writable", async (context) => {
  const directory = await temporaryDirectory()
  if (!mountSmallDisk(directory, "size=256m,mode=700")) return context.skip("needs the right to mount a file system")
  // Small files of the journal, so that it needs a new one soon.
  const app = await launch(directory, { PAGESPAN_JOURNAL: "8MB" })
  await app.ready()
  const sender = new Sender(app)
  for (let count = 0; count < 10; count += 1) expect(await sender.next()).toBe(200)
  await sender.expectStored(app)

  const makeWritable = coverReadOnly(directory)
  // The journal's open file still takes some.
  expect(await sender.next()).toBe(200)
  // The error code is of what ClickHouse wants to write first.
  const sentence =
    /ClickHouse is unavailable: its disk is read-only \(code \d+\)\. Mount it for writing\. New data is accepted, and waits in the journal\./
  await waitFor("the store's sentence", async () => sentence.test(await screen(app)))
  await sender.untilRefused()
  await waitFor("the sentence", async () =>
    (await screen(app)).includes(`The journal in ${directory}/journal ${READ_ONLY}`),
  )
  await expectUnhealthy(app)
  expect((await fetch(`${app.url}/api/traces/${idOf(1)}`)).status).toBe(200)

  makeWritable()
  await waitFor("health", async () => (await fetch(`${app.url}/health`)).ok)
  expect(await screen(app)).not.toContain("read-only")
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
  const sender = new Sender(app)
  for (let count = 0; count < 10; count += 1) expect(await sender.next()).toBe(200)

  disk.becomeReadOnly()
  await sender.untilRefused()
  await waitFor("the sentence", async () =>
    (await screen(app)).includes(`The journal in ${directory}/journal ${READ_ONLY}`),
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
