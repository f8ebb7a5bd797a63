import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { RunningApp } from "#tests/support/running-app.ts"
import { mountSmallDisk } from "#tests/support/small-disk.ts"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"
import { waitFor } from "#tests/support/wait-for.ts"

async function launch(directory: string): Promise<RunningApp> {
  const app = await RunningApp.launch({ PAGESPAN_SELF: "off", PAGESPAN_DATA: directory })
  onTestFinished(async () => void (await app.stop("SIGKILL")))
  return app
}

const idOf = (number: number) => (0xd15c0000 + number).toString(16).padStart(32, "0")

/** Sends a trace with one span of about 40 kB. */
async function send(app: RunningApp, number: number): Promise<number> {
  const now = `${Date.now()}000000`
  const attributes = [{ key: "text", value: { stringValue: Math.random().toString(36).repeat(3_000) } }]
  const span = { traceId: idOf(number), spanId: idOf(number).slice(16), name: `span ${number}`, attributes }
  const spans = [{ ...span, startTimeUnixNano: now, endTimeUnixNano: now }]
  const headers = { "content-type": "application/json" }
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })
  return (await fetch(`${app.url}/v1/traces`, { method: "POST", headers, body })).status
}

async function screen(app: RunningApp): Promise<string> {
  return (await (await fetch(`${app.url}/`)).text()).replaceAll(/<script[\s\S]*?<\/script>/g, "")
}

test("on a full disk the screens say so and what to do, and everything acknowledged is stored once there is space", async (context) => {
  const directory = await temporaryDirectory()
  if (!mountSmallDisk(directory, "size=96m,mode=700")) return context.skip("needs the right to mount a file system")
  const app = await launch(directory)
  await app.ready()
  const acknowledged: number[] = []
  let number = 0
  const sendNext = async () => {
    const status = await send(app, (number += 1))
    if (status === 200) acknowledged.push(number)
    return status
  }
  for (let count = 0; count < 10; count += 1) expect(await sendNext()).toBe(200)
  const filler = join(directory, "filler")
  expect(() => writeFileSync(filler, Buffer.alloc(96 * 2 ** 20))).toThrow(/ENOSPC/)
  await waitFor("a refusal", async () => (await sendNext()) === 503)
  await waitFor("the sentence", async () =>
    (await screen(app)).includes(
      `The journal in ${directory}/journal cannot be written: the disk is full. Free some space on it. Until then new data is refused.`,
    ),
  )
  const health = await fetch(`${app.url}/health`)
  expect([health.status, await health.json()]).toMatchObject([503, { status: "journal unavailable" }])

  rmSync(filler)
  // No request arrives meanwhile: a load balancer sends none to an inspector that is not healthy.
  await waitFor("health", async () => (await fetch(`${app.url}/health`)).ok)
  expect(await screen(app)).not.toContain("the disk is full")
  expect(await sendNext()).toBe(200)
  for (const id of acknowledged)
    await waitFor(`trace ${id}`, async () => (await fetch(`${app.url}/api/traces/${idOf(id)}`)).ok)
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
