import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { StoreUnavailable } from "#otel/inspector/store/failure.ts"
import { sleep, waitFor } from "#tests/support/wait-for.ts"
import { directoryOfTest } from "../directories.ts"
import { ago, span, traceId } from "../spans.ts"
import { DAY_MS, storeOfTest } from "../stores.ts"
import type { TestStore } from "../test-store.ts"

/** The store's process is killed in each of its phases. `failure.test.ts` kills it during inserts. */

const SPANS = 50
const FAST = { dependencies: { now: Date.now, random: () => 1 } }

function batch(number: number, daysAgo = 0) {
  return Array.from({ length: SPANS }, (_, index) =>
    span(number, number * SPANS + index, { startTime: ago(daysAgo * DAY_MS + 60_000 - index) }),
  )
}

/** The store process that this process has started, while it lives. */
function storeProcess(): number | undefined {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8").trim().split(" ")
  return children.map(Number).find((pid) => pid > 0 && commandOf(pid).includes("store/process"))
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8")
  } catch {
    return "" // It has ended.
  }
}

/** Resolves when the process is gone and the store has noticed. */
async function killProcessOf(store: TestStore): Promise<void> {
  const pid = await waitFor("a store process", storeProcess)
  const noticed = new Promise<void>((resolve) => {
    if (store.state !== "ready") return resolve()
    const stop = store.onStateChange(() => {
      stop()
      resolve()
    })
  })
  process.kill(pid, "SIGKILL")
  await noticed
  await waitFor("its end", () => storeProcess() !== pid)
}

async function filled(days: readonly number[]): Promise<string> {
  const dataDirectory = directoryOfTest()
  const store = storeOfTest({ dataDirectory }, { retentionMs: 30 * DAY_MS })
  await store.ready()
  for (const day of days) await store.insertSpans(batch(day + 1, day), `day ${day}`)
  await store.close()
  return dataDirectory
}

describe.skipIf(process.platform !== "linux")("a store process that is killed (Linux lists child processes)", () => {
  test("while it starts, at any moment, opens later with everything that it had", async () => {
    const dataDirectory = await filled([0])
    const store = storeOfTest({ dataDirectory }, FAST)
    for (const delayMs of [0, 30, 100, 200, 300, 400, 500, 700]) {
      await waitFor("a store process", storeProcess)
      await sleep(delayMs)
      await killProcessOf(store)
    }
    await store.ready()
    expect(await store.readTrace(traceId(1))).toHaveLength(SPANS)
    await store.insertSpans(batch(2), "after")
    expect(await store.readTrace(traceId(2))).toHaveLength(SPANS)
  })

  test("while it creates its tables opens later, and stores what comes", async () => {
    const store = storeOfTest({ dataDirectory: directoryOfTest() }, FAST)
    for (const delayMs of [250, 350, 450, 550]) {
      await waitFor("a store process", storeProcess)
      await sleep(delayMs)
      await killProcessOf(store)
    }
    await store.ready()
    await store.insertSpans(batch(1), "first")
    expect((await store.listTraces({ limit: 10 })).traces).toMatchObject([{ spanCount: SPANS }])
  })

  test("while it answers queries rejects them as unavailable, and answers them later", async () => {
    const store = storeOfTest({ dataDirectory: await filled([0]) }, FAST)
    await store.ready()
    // A stopped process has the queries and answers none.
    process.kill(storeProcess()!, "SIGSTOP")
    const settled = Promise.allSettled(Array.from({ length: 20 }, () => store.readTrace(traceId(1))))
    await killProcessOf(store)
    for (const outcome of await settled)
      expect(outcome).toMatchObject({ status: "rejected", reason: expect.any(StoreUnavailable) })
    await store.ready()
    expect(await store.readTrace(traceId(1))).toHaveLength(SPANS)
  })

  test("while it deletes expired days deletes them later, and no others", async () => {
    const dataDirectory = await filled([0, 3, 9, 12])
    const store = storeOfTest({ dataDirectory }, { ...FAST, retentionMs: 5 * DAY_MS })
    for (let kill = 0; kill < 3; kill += 1) {
      await store.ready()
      await killProcessOf(store)
    }
    await store.ready()
    expect(await store.readTrace(traceId(1))).toHaveLength(SPANS)
    expect(await store.readTrace(traceId(4))).toHaveLength(SPANS)
    expect(await store.readTrace(traceId(10))).toStrictEqual([])
    expect(await store.readTrace(traceId(13))).toStrictEqual([])
  })

  test("while it stops lets the close end, and has everything at the next start", async () => {
    const dataDirectory = directoryOfTest()
    const store = storeOfTest({ dataDirectory }, FAST)
    await store.ready()
    await store.insertSpans(batch(1), "before")
    const pid = storeProcess()!
    const closed = store.close()
    process.kill(pid, "SIGKILL")
    await closed
    const again = storeOfTest({ dataDirectory }, FAST)
    await again.ready()
    expect(await again.readTrace(traceId(1))).toHaveLength(SPANS)
  })
})
