import { readdirSync } from "node:fs"
import type * as Files from "node:fs/promises"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { temporaryDirectory } from "#tests/support/temporary-directory.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { answered, forwarder, spans, spansIn } from "./forwarder-under-test.ts"

/** While `hang` is set, the disk opens no more files. Into a file that is opened while `failure` is set, no write succeeds. */
const disk: { hang: Promise<void> | undefined; failure: Promise<Error> | undefined } = {
  hang: undefined,
  failure: undefined,
}

vi.mock("node:fs/promises", async (original) => {
  const files = await original<typeof Files>()
  const open: typeof Files.open = async (...file) => {
    await disk.hang
    const handle = await files.open(...file)
    const { failure } = disk
    if (failure !== undefined) handle.writeFile = async () => Promise.reject(await failure)
    return handle
  }
  return { ...files, open }
})

/** Makes the disk hang, until the returned function is called. */
function hangDisk(): () => void {
  let release = () => {}
  disk.hang = new Promise((resolve) => {
    release = () => {
      disk.hang = undefined
      resolve()
    }
  })
  onTestFinished(release)
  return release
}

/** A forwarder that waits for its next attempt until it is closed. */
async function backingOff(directory: string) {
  let isAsleep = false
  const sleep = (_: number, signal: AbortSignal) => {
    isAsleep = true
    return new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()))
  }
  const forwarding = await forwarder({ directory, sleep }, () => answered(503))
  forwarding.offer({ spans: spans(1) })
  await waitFor("the first wait", () => isAsleep)
  return forwarding
}

describe("a stop while a destination backs off", () => {
  test("waits until the disk has every delivery that was accepted", async () => {
    const directory = await temporaryDirectory()
    const first = await backingOff(directory)
    for (let batch = 0; batch < 100; batch++) first.offer({ spans: spans(1) })
    await first.close()
    expect([first.waiting().length, first.dropped()]).toEqual([101, []])
  })

  test("ends in time on a disk that hangs, and counts what the disk has nothing of, which is not sent later", async () => {
    const directory = await temporaryDirectory()
    const first = await backingOff(directory)
    const release = hangDisk()
    for (const count of [2, 3]) first.offer({ spans: spans(count) })
    // The disk hangs until the release below: without a limit of its own, this would never end.
    await first.close()
    expect(first.dropped()).toEqual(["store_unavailable/span=2", "store_unavailable/span=3"])
    release()
    // What is offered now is written after the others.
    first.offer({ spans: spans(4) })
    await waitFor("the disk", () => first.waiting().length === 2)
    const second = await forwarder({ directory }, () => answered(200))
    await second.settled()
    expect([second.delivered.map(spansIn), second.dropped()]).toEqual([[1, 4], []])
    expect(first.dropped()).toHaveLength(2)
  })

  test("leaves a delivery whose write fails after it to the next start, which counts it", async () => {
    const directory = await temporaryDirectory()
    const first = await backingOff(directory)
    let fail = () => {}
    disk.failure = new Promise((resolve) => (fail = () => resolve(new Error("EIO"))))
    first.offer({ spans: spans(2) })
    const files = () => readdirSync(directory, { recursive: true }).map(String)
    await waitFor("the file", () => files().some((name) => name.endsWith(".unfinished")))
    await first.close()
    disk.failure = undefined
    fail()
    // What is offered now is written after it.
    first.offer({ spans: spans(4) })
    await waitFor("the disk", () => first.waiting().length === 2)
    const second = await forwarder({ directory }, () => answered(200))
    await second.settled()
    expect([second.delivered.map(spansIn), first.dropped(), second.dropped()]).toEqual([
      [1, 4],
      [],
      ["malformed/span=2"],
    ])
  })
})
