import { appendFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { expect, test } from "vitest"
import { decodeBatch } from "#otel/protocol/codec/encode-batch.ts"
import { recordBatch } from "#otel/protocol/records/batch.ts"
import { mountSmallDisk } from "#tests/support/small-disk.ts"
import { waitFor } from "#tests/support/wait-for.ts"
import { openJournal } from "./open-journal.ts"
import { temporaryDirectory } from "#tests/inspector/ingest/receiver-under-test.ts"
import { spanRecord } from "#tests/inspector/ingest/span-records.ts"

test("a file that held only marks when the disk became full is not in the way of the next one", async (context) => {
  const directory = await temporaryDirectory()
  if (!mountSmallDisk(directory, "size=64k,mode=700")) return context.skip("needs the right to mount a file system")
  const earlier = await openJournal(directory)
  for (const number of [1, 2, 3]) await earlier.journal.append(recordBatch({ spans: [spanRecord(number)] }))
  await earlier.journal.close()
  const { journal } = await openJournal(directory)
  // After a start, what waits is stored before anything new arrives.
  await journal.markStored(1)
  const file = join(directory, `${"4".padStart(15, "0")}.journal`)
  await waitFor("the file of the mark", () => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 20)
  const filler = join(directory, "filler")
  await waitFor("a full disk", () => {
    try {
      writeFileSync(filler, Buffer.alloc(64 * 1024))
      return false
    } catch {
      return true
    }
  })
  await waitFor("a failed write", async () => {
    // A page of the disk takes a hundred more marks.
    for (let count = 0; count < 300; count += 1) await journal.markStored(2)
    return journal.problem !== undefined
  })
  expect(journal.problem).toContain("the disk is full")
  rmSync(filler)
  expect(await journal.append(recordBatch({ spans: [spanRecord(4)] }))).toMatchObject({ ok: true })
  expect(journal.problem).toBeUndefined()
})

test("a batch that arrives while the file of a mark is created is still there after the next write has failed", async (context) => {
  const directory = await temporaryDirectory()
  if (!mountSmallDisk(directory, "size=256k,mode=700")) return context.skip("needs the right to mount a file system")
  const { journal } = await openJournal(directory, { maxBytes: 64 * 1024 })
  const large = (number: number) =>
    recordBatch({ spans: [spanRecord(number, { name: `${number} ${"x".repeat(17 * 1024)}` })] })
  expect(await journal.append(large(1))).toMatchObject({ ok: true })
  // The file is full, so the mark begins another one.
  const marked = journal.markStored(0)
  await setImmediate()
  const second = await journal.append(recordBatch({ spans: [spanRecord(2)] }))
  await marked
  if (!second.ok) throw new Error(second.problem)
  const filler = join(directory, "filler")
  try {
    for (;;) appendFileSync(filler, Buffer.alloc(1024))
  } catch {
    // The disk is full.
  }
  await waitFor("a failed write", async () => !(await journal.append(large(3))).ok)
  expect(decodeBatch(await journal.load(second.place)).spans).toHaveLength(1)
})
