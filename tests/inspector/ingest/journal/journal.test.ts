import { chmod, copyFile, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { serialize } from "node:v8"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { encodeFrame, Segment } from "#otel/inspector/ingest/journal/segment.ts"
import { recordBatch } from "#otel/protocol/records/batch.ts"
import { decode, errorEvent, item, transaction } from "#tests/protocol/sentry/envelopes.ts"
import { earlierBatch } from "./earlier-batch.ts"
import { load, openJournal, spansOf } from "./open-journal.ts"
import { temporaryDirectory } from "#tests/inspector/ingest/receiver-under-test.ts"
import { spanRecord, spanRecords } from "#tests/inspector/ingest/span-records.ts"
import { sleep, waitFor } from "#tests/support/wait-for.ts"

async function journalFiles(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => name.endsWith(".journal")).sort()
}

test("appended records are read back after a restart, equal to the last digit", async () => {
  const directory = await temporaryDirectory()
  const first = await openJournal(directory)
  const odd = spanRecord(1, {
    attributes: new Map<string, never>([
      ["map", new Map([["__proto__", [1n, null, -0, Number.NaN, 2n ** 63n - 1n]]]) as never],
      ["bytes", new Uint8Array([0, 255]) as never],
      ["text", "naïve \u0000 日本語" as never],
    ]),
  })
  await first.journal.append(recordBatch({ spans: [odd] }))
  await first.journal.append(recordBatch({ spans: spanRecords(3, 10) }))
  await first.journal.close()
  const { replay } = await openJournal(directory)
  expect(replay!.backlog.map(({ sequence, recordCount }) => [sequence, recordCount])).toStrictEqual([
    [1, 1],
    [2, 3],
  ])
  expect(await load(replay!.backlog[0]!)).toStrictEqual(recordBatch({ spans: [odd] }))
  expect(await load(replay!.backlog[1]!)).toStrictEqual(recordBatch({ spans: spanRecords(3, 10) }))
})

test("spans that share a resource still share it after a restart", async () => {
  const directory = await temporaryDirectory()
  const { journal } = await openJournal(directory)
  await journal.append(recordBatch({ spans: spanRecords(2) }))
  await journal.close()
  const batch = await load((await openJournal(directory)).replay!.backlog[0]!)
  const [a, b] = batch.spans
  expect(a!.resource).toBe(b!.resource)
})

test("errors, logs and items are read back like spans", async () => {
  const directory = await temporaryDirectory()
  const decoded = decode(
    item("event", errorEvent()),
    item("transaction", transaction()),
    item("log", { items: [{ timestamp: 1_795_197_401.5, body: "hello", level: "info" }] }),
    item("attachment", "some text", { filename: "a.txt" }),
  )
  const { spans, errors, logs } = decoded
  const items = decoded.items.map((record) => ({ ...record, payload: new Uint8Array(record.payload) }))
  const { journal } = await openJournal(directory)
  await journal.append({ spans, errors, logs, items })
  await journal.close()
  const { replay } = await openJournal(directory)
  expect(replay!.backlog.map(({ recordCount }) => recordCount)).toStrictEqual([7])
  expect(await load(replay!.backlog[0]!)).toStrictEqual({ spans, errors, logs, items })
})

test.each([
  { format: 1, what: "spans alone", payload: spanRecords(2) },
  { format: 2, what: "no items", payload: { spans: spanRecords(2), errors: [], logs: [] } },
  { format: 3, what: "V8's structured clone", payload: recordBatch({ spans: spanRecords(2) }) },
])("a journal of an earlier version in format $format, $what, is read", async ({ format, payload }) => {
  const directory = await temporaryDirectory()
  const header = Buffer.concat([Buffer.from("PSPNJRNL"), Buffer.from([format])])
  const frame = encodeFrame("batch", 7, 2, serialize(payload))
  await writeFile(join(directory, `${"7".padStart(15, "0")}.journal`), Buffer.concat([header, frame]))
  const { replay, journal } = await openJournal(directory)
  expect(replay).toMatchObject({ tornFiles: 0, foreignFiles: 0, nextSequence: 8 })
  expect(await load(replay!.backlog[0]!)).toStrictEqual(recordBatch({ spans: spanRecords(2) }))
  expect(await journal.append(recordBatch({ spans: spanRecords(1) }))).toMatchObject({ ok: true, sequence: 8 })
})

describe("a journal of an earlier version", () => {
  const earlier = join(import.meta.dirname, "format-4.journal")
  const expected = earlierBatch("unsupported")

  test("in format 4 is read, with today's names", async () => {
    const directory = await temporaryDirectory()
    await copyFile(earlier, join(directory, `${"1".padStart(15, "0")}.journal`))
    const { replay } = await openJournal(directory)
    expect(replay).toMatchObject({ tornFiles: 0, foreignFiles: 0, nextSequence: 2 })
    const { items, ...others } = await load(replay!.backlog[0]!)
    expect({ ...others, items: items.map((one) => ({ ...one, payload: new Uint8Array(one.payload) })) }).toStrictEqual(
      expected,
    )
  })

  test("in format 3 is read, with today's names", async () => {
    const directory = await temporaryDirectory()
    const header = Buffer.concat([Buffer.from("PSPNJRNL"), Buffer.from([3])])
    const frame = encodeFrame("batch", 1, 5, serialize(earlierBatch("not_kept")))
    await writeFile(join(directory, `${"1".padStart(15, "0")}.journal`), Buffer.concat([header, frame]))
    expect(await load((await openJournal(directory)).replay!.backlog[0]!)).toStrictEqual(expected)
  })
})

test("with sync, an append resolves when the disk has it", async () => {
  const directory = await temporaryDirectory()
  const { journal } = await openJournal(directory, { sync: true })
  expect(await journal.append(recordBatch({ spans: spanRecords(2) }))).toMatchObject({ ok: true, sequence: 1 })
  await journal.close()
  expect(await spansOf((await openJournal(directory)).replay)).toStrictEqual(["span 0", "span 1"])
})

test("stored records are not replayed, and all others are", async () => {
  const directory = await temporaryDirectory()
  const { journal } = await openJournal(directory)
  for (let number = 1; number <= 5; number += 1) await journal.append(recordBatch({ spans: [spanRecord(number)] }))
  await journal.markStored(3)
  await journal.close()
  const second = await openJournal(directory)
  expect(await spansOf(second.replay)).toStrictEqual(["span 4", "span 5"])
  expect(await second.journal.append(recordBatch({ spans: [spanRecord(6)] }))).toMatchObject({ ok: true, sequence: 6 })
  await second.journal.markStored(4)
  await second.journal.close()
  const third = await openJournal(directory)
  expect(await spansOf(third.replay)).toStrictEqual(["span 5", "span 6"])
  await third.journal.markStored(6)
  await third.journal.close()
  expect(await journalFiles(directory)).toStrictEqual([])
})

test("a file is deleted once all its records are stored, except the current one", async () => {
  const directory = await temporaryDirectory()
  const { journal } = await openJournal(directory, { maxBytes: 10_000 })
  for (let number = 1; number <= 40; number += 1) await journal.append(recordBatch({ spans: [spanRecord(number)] }))
  expect((await journalFiles(directory)).length).toBeGreaterThan(1)
  await journal.markStored(40)
  await journal.append(recordBatch({ spans: [spanRecord(41)] }))
  expect(await journalFiles(directory)).toHaveLength(1)
})

test("the journal is full at its maximum size, and accepts records again when files are deleted", async () => {
  const directory = await temporaryDirectory()
  const { journal } = await openJournal(directory, { maxBytes: 40_000 })
  let appended = 0
  while ((await journal.append(recordBatch({ spans: [spanRecord(appended)] }))).ok) appended += 1
  expect(appended).toBeGreaterThan(20)
  const sizes = await Promise.all((await journalFiles(directory)).map((name) => stat(join(directory, name))))
  expect(sizes.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(40_000)
  expect(await journal.append(recordBatch({ spans: [spanRecord(0)] }))).toStrictEqual({ ok: false, problem: "full" })
  await journal.markStored(appended)
  expect(await journal.append(recordBatch({ spans: [spanRecord(0)] }))).toMatchObject({ ok: true })
})

test("concurrent appends share a write and keep their order", async () => {
  const directory = await temporaryDirectory()
  const { journal } = await openJournal(directory)
  const appends = await Promise.all(
    Array.from({ length: 100 }, (_, number) => journal.append(recordBatch({ spans: [spanRecord(number)] }))),
  )
  expect(appends.map((append) => append.ok && append.sequence)).toStrictEqual(
    Array.from({ length: 100 }, (_, index) => index + 1),
  )
  await journal.close()
  const names = Array.from({ length: 100 }, (_, number) => `span ${number}`)
  expect(await spansOf((await openJournal(directory)).replay)).toStrictEqual(names)
})

async function journalOfThree(): Promise<{ directory: string; path: string; bytes: Buffer }> {
  const directory = await temporaryDirectory()
  const { journal } = await openJournal(directory)
  for (let number = 1; number <= 3; number += 1) await journal.append(recordBatch({ spans: [spanRecord(number)] }))
  await journal.close()
  const path = join(directory, (await journalFiles(directory))[0]!)
  return { directory, path, bytes: await readFile(path) }
}

describe("a damaged file", () => {
  test("yields its complete batches, wherever it was truncated", async () => {
    const { directory, path, bytes } = await journalOfThree()
    const frame = (bytes.length - 9) / 3
    for (const cut of [0, 1, 8, 9, 10, 16, 17, 18, 27, 28, 29, frame - 1, frame, frame + 1, 3 * frame - 1].map(
      Math.round,
    )) {
      await writeFile(path, bytes)
      await truncate(path, Math.min(bytes.length - 1, 9 + cut))
      const { journal, replay } = await openJournal(directory)
      const complete = Math.floor(cut / frame)
      expect(await spansOf(replay)).toStrictEqual(["span 1", "span 2", "span 3"].slice(0, complete))
      expect(replay!.tornFiles).toBe(cut % frame === 0 ? 0 : 1)
      await journal.close()
    }
  })

  test("yields the batches before and behind a flipped bit", async () => {
    const { directory, path, bytes } = await journalOfThree()
    const frame = (bytes.length - 9) / 3
    const broken = Buffer.from(bytes)
    broken[Math.round(9 + frame * 1.5)]! ^= 1
    await writeFile(path, broken)
    const { replay } = await openJournal(directory)
    expect(await spansOf(replay)).toStrictEqual(["span 1", "span 3"])
    expect(replay).toMatchObject({ damagedPlaces: 1, tornFiles: 0 })
  })

  test("of another format is set aside, neither read nor deleted", async () => {
    const { directory, path, bytes } = await journalOfThree()
    const foreign = Buffer.from(bytes)
    foreign[8] = 99
    await writeFile(path, foreign)
    const { replay } = await openJournal(directory)
    expect(replay).toMatchObject({ backlog: [], foreignFiles: 1 })
    expect(await readFile(`${path}.unreadable`)).toStrictEqual(foreign)
  })
})

describe("a directory that cannot be written", () => {
  test("refuses records, and is used once it can be written", async () => {
    const directory = join(await temporaryDirectory(), "journal")
    await writeFile(directory, "a file in place of the directory")
    const { journal, isOpen } = await openJournal(directory)
    expect(isOpen).toBe(false)
    expect(await journal.append(recordBatch({ spans: [spanRecord(1)] }))).toStrictEqual({
      ok: false,
      problem: "unavailable",
    })
    expect(journal.problem).toBe(
      `The journal in ${directory} cannot be written: there is a file of that name. Set PAGESPAN_DATA to a directory.`,
    )
    await rm(directory)
    expect(await journal.append(recordBatch({ spans: [spanRecord(2)] }))).toMatchObject({ ok: true, sequence: 1 })
    expect(journal.problem).toBeUndefined()
  })

  test("is created again when it was deleted under a running journal", async () => {
    const directory = join(await temporaryDirectory(), "journal")
    const { journal } = await openJournal(directory, { maxBytes: 2_000 })
    await journal.append(recordBatch({ spans: [spanRecord(1)] }))
    await rm(directory, { recursive: true })
    const appends = [await journal.append(recordBatch({ spans: [spanRecord(2)] }))]
    for (let number = 3; number < 8; number += 1) {
      await journal.markStored(number - 1)
      appends.push(await journal.append(recordBatch({ spans: [spanRecord(number)] })))
    }
    expect(appends.every(({ ok }) => ok)).toBe(true)
    expect((await journalFiles(directory)).length).toBeGreaterThan(0)
  })

  test.skipIf(process.getuid?.() === 0)(
    "without permission refuses records, and is used once it has the permission (not as root)",
    async () => {
      const directory = await temporaryDirectory()
      await chmod(directory, 0o500)
      const { journal } = await openJournal(directory)
      expect(await journal.append(recordBatch({ spans: [spanRecord(1)] }))).toMatchObject({ problem: "unavailable" })
      await chmod(directory, 0o700)
      expect(await journal.append(recordBatch({ spans: [spanRecord(1)] }))).toMatchObject({ ok: true })
    },
  )
})

test("a disk that does not answer makes the journal full before the memory is", async () => {
  const directory = await temporaryDirectory()
  const { journal } = await openJournal(directory, { maxBytes: 1024 ** 3 })
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  const append = vi.spyOn(Segment.prototype, "append")
  append.mockImplementation(async () => {
    await held
    throw new Error("no disk")
  })
  onTestFinished(() => {
    release()
    append.mockRestore()
  })
  const batch = recordBatch({ spans: [spanRecord(1, { name: "x".repeat(1024 ** 2) })] })
  const appends = Array.from({ length: 100 }, () => journal.append(batch))
  const full = await waitFor("a refusal", async () => {
    const settled = await Promise.race([Promise.all(appends.slice(70)), sleep(50)])
    return settled ?? undefined
  })
  expect(new Set(full.map((each) => !each.ok && each.problem))).toStrictEqual(new Set(["full"]))
  release()
  await Promise.all(appends)
})
