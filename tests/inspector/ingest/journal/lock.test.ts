import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { Replay } from "#otel/inspector/ingest/journal/directory.ts"
import { recordBatch } from "#otel/protocol/records/batch.ts"
import { openJournal, spansOf } from "./open-journal.ts"
import { temporaryDirectory } from "#tests/inspector/ingest/receiver-under-test.ts"
import { spanRecord } from "#tests/inspector/ingest/span-records.ts"

test("a second owner is refused while the first is open, and continues after it has closed", async () => {
  const directory = await temporaryDirectory()
  const first = await openJournal(directory)
  await first.journal.append(recordBatch({ spans: [spanRecord(1)] }))
  const second = await openJournal(directory)
  expect(second.isOpen).toBe(false)
  expect(await second.journal.append(recordBatch({ spans: [spanRecord(2)] }))).toStrictEqual({
    ok: false,
    problem: "unavailable",
  })
  await first.journal.close()
  expect(await second.journal.append(recordBatch({ spans: [spanRecord(3)] }))).toMatchObject({ ok: true, sequence: 2 })
})

test("a journal that could not be opened at first replays its records without waiting for a request", async () => {
  const directory = await temporaryDirectory()
  const first = await openJournal(directory)
  await first.journal.append(recordBatch({ spans: [spanRecord(1)] }))
  let replayed: ((replay: Replay) => void) | undefined
  const replay = new Promise<Replay>((resolve) => (replayed = resolve))
  const second = await openJournal(directory, { onReplay: (found) => replayed?.(found) })
  expect(second.isOpen).toBe(false)
  await first.journal.close()
  expect(await spansOf(await replay)).toStrictEqual(["span 1"])
})

test.each([
  ["of a dead process", "999999999"],
  ["of an earlier process with our id", String(process.pid)],
  ["that is empty", ""],
  ["that is not a number", "x"],
])("a lock %s is ignored", async (_name, content) => {
  const directory = await temporaryDirectory()
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, "lock"), content)
  expect((await openJournal(directory)).isOpen).toBe(true)
})

test("a lock with the id of a living process alone, as an earlier version writes it, is obeyed", async () => {
  const directory = await temporaryDirectory()
  await writeFile(join(directory, "lock"), String(process.ppid))
  expect((await openJournal(directory)).isOpen).toBe(false)
})
