import { execFileSync } from "node:child_process"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { StoreUnavailable } from "#otel/inspector/store/failure.ts"
import { mountSmallDisk } from "#tests/support/small-disk.ts"
import { directoryOfTest } from "../directories.ts"
import { ago, span, traceId } from "../spans.ts"
import { storeOfTest } from "../stores.ts"
import type { TestStore } from "../test-store.ts"

/** The engine writes its process id into its directory. */
function processOf(dataDirectory: string): number {
  return Number(/^PID: (\d+)$/m.exec(readFileSync(join(dataDirectory, "clickhouse/status"), "utf8"))?.[1])
}

const BATCH = 20

function batch(number: number) {
  return Array.from({ length: BATCH }, (_, index) =>
    span(number + 1, number * BATCH + index + 1, { startTime: ago(60_000 - index) }),
  )
}

/** Inserts until the batch is acknowledged, as a journal does. Returns how often the store was down. */
async function insertUntilStored(store: TestStore, number: number): Promise<number> {
  for (let failures = 0; ; failures++) {
    try {
      await store.insertSpans(batch(number), `batch ${number}`)
      return failures
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      await store.ready()
    }
  }
}

test("a store process that is killed during inserts restarts, and stores every acknowledged batch exactly once", async () => {
  const dataDirectory = directoryOfTest()
  const store = storeOfTest({ dataDirectory }, { dependencies: { now: Date.now, random: () => 1 } })
  await store.ready()
  let failures = 0
  for (let number = 0; number < 60; number++) {
    const stored = insertUntilStored(store, number)
    if (number % 20 === 10) process.kill(processOf(dataDirectory), "SIGKILL")
    failures += await stored
  }
  expect(failures).toBeGreaterThanOrEqual(3)
  const { traces } = await store.listTraces({ limit: 1_000 })
  expect(traces.map((trace) => trace.spanCount)).toStrictEqual(Array.from({ length: 60 }, () => BATCH))
  const read = await Promise.all(traces.map((trace) => store.readTrace(trace.traceId)))
  expect(read.map((spans) => spans.length)).toStrictEqual(Array.from({ length: 60 }, () => BATCH))
})

test("while the process is down queries are rejected with the reason, and later they work", async () => {
  const dataDirectory = directoryOfTest()
  const store = storeOfTest({ dataDirectory })
  await store.ready()
  await store.insertSpans(batch(0), "batch")
  process.kill(processOf(dataDirectory), "SIGKILL")
  await expect.poll(() => store.state, { interval: 1 }).toBe("down")
  await expect(store.readTrace(traceId(1))).rejects.toThrow(StoreUnavailable)
  await expect.poll(() => store.problem, { interval: 1 }).toBe("The store process was ended by SIGKILL")
  await expect.poll(() => store.state).toBe("ready")
  expect(await store.readTrace(traceId(1))).toHaveLength(BATCH)
})

test("a deleted directory is reported, acknowledges no insert into it, and is created again", async () => {
  const dataDirectory = directoryOfTest()
  const store = storeOfTest({ dataDirectory })
  await store.ready()
  await store.insertSpans(batch(0), "before")
  rmSync(dataDirectory, { recursive: true })
  await expect(store.insertSpans(batch(1), "meanwhile")).rejects.toThrow(StoreUnavailable)
  await expect.poll(() => store.problem, { interval: 1 }).toMatch(/^The store directory .* is missing\.$/)
  await expect.poll(() => store.state).toBe("ready")
  await store.insertSpans(batch(1), "meanwhile")
  expect((await store.listTraces({ limit: 10 })).traces.map((trace) => trace.traceId)).toStrictEqual([traceId(2)])
})

describe("a disk", () => {
  test("that is full makes the store down with the reason, leaves queries working, and is used again when it has space", async (context) => {
    const dataDirectory = directoryOfTest()
    if (!mountSmallDisk(dataDirectory, "size=40m")) return context.skip("needs the right to mount a file system")
    const store = storeOfTest({ dataDirectory }, { dependencies: { now: Date.now, random: () => 1 } })
    await store.ready()
    await store.insertSpans(batch(0), "before")
    const filler = join(dataDirectory, "filler")
    expect(() => writeFileSync(filler, Buffer.alloc(40 * 2 ** 20))).toThrow(/ENOSPC/)
    await expect(store.insertSpans(batch(1), "full")).rejects.toThrow("its disk is full")
    expect([store.state, store.problem]).toStrictEqual([
      "down",
      "ClickHouse is unavailable: its disk is full (code 243). Free some space on it.",
    ])
    expect(await store.readTrace(traceId(1))).toHaveLength(BATCH)
    rmSync(filler)
    await expect.poll(() => store.state).toBe("ready")
    await store.insertSpans(batch(1), "full")
    expect((await store.listTraces({ limit: 10 })).traces).toHaveLength(2)
  })

  test("that is read-only is reported, and the store starts once it can write", async (context) => {
    const dataDirectory = directoryOfTest()
    if (!mountSmallDisk(dataDirectory, "size=40m,ro")) return context.skip("needs the right to mount a file system")
    const store = storeOfTest({ dataDirectory })
    await expect
      .poll(() => store.problem)
      .toMatch(
        /^The store directory .* cannot be created: the file system is read-only\. Mount it for writing, or set PAGESPAN_DATA to another directory\.$/,
      )
    execFileSync("mount", ["-o", "remount,rw", dataDirectory])
    await store.ready()
    expect(store.problem).toBeUndefined()
  })
})
