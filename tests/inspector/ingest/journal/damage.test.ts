import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import type { Replay } from "#otel/inspector/ingest/journal/directory.ts"
import { Journal } from "#otel/inspector/ingest/journal/journal.ts"
import { encodeFrame, FILE_HEADER, readFrames } from "#otel/inspector/ingest/journal/segment.ts"
import { decodeBatch, encodeBatch } from "#otel/protocol/codec/encode-batch.ts"
import { recordBatch } from "#otel/protocol/records/batch.ts"
import type { SpanRecord } from "#otel/protocol/records/span.ts"
import { startReceiver, temporaryDirectory } from "#tests/inspector/ingest/receiver-under-test.ts"
import { spanRecord } from "#tests/inspector/ingest/span-records.ts"

/** What a disk or a crash makes of a file of the journal. Every batch beside the damage is read. */

function frameOf(sequence: number, changes: Partial<SpanRecord> = {}): Buffer {
  return encodeFrame("batch", sequence, 1, encodeBatch(recordBatch({ spans: [spanRecord(sequence, changes)] })))
}

const FRAMES = [frameOf(1), frameOf(2), frameOf(3)]
const FILE = Buffer.concat([FILE_HEADER, ...FRAMES])
/** Where each frame ends. */
const ENDS = FRAMES.map((_, index) => Buffer.concat([FILE_HEADER, ...FRAMES.slice(0, index + 1)]).length)

function read(file: Buffer) {
  const reading = readFrames(file, 1)
  if (reading === undefined) return undefined
  const batches = reading.frames.filter(({ kind }) => kind === "batch")
  const names = batches.flatMap(({ start, end }) =>
    decodeBatch(file.subarray(start, end)).spans.map(({ name }) => name),
  )
  return { ...reading, names }
}

test("a flip of any bit costs the batch that it is in, which is counted, and no other", () => {
  for (let at = FILE_HEADER.length; at < FILE.length; at += 1)
    for (let bit = 0; bit < 8; bit += 1) {
      const flipped = Buffer.from(FILE)
      flipped[at]! ^= 1 << bit
      const damaged = ENDS.findIndex((end) => at < end)
      const reading = read(flipped)!
      expect(reading.names, `byte ${at}, bit ${bit}`).toStrictEqual(
        ["span 1", "span 2", "span 3"].filter((_, index) => index !== damaged),
      )
      expect(reading.damagedPlaces + (reading.tornBytes > 0 ? 1 : 0), `byte ${at}, bit ${bit}`).toBe(1)
    }
})

test("a flip in the header of the file sets the file aside, with all of its batches", () => {
  for (let at = 0; at < FILE_HEADER.length; at += 1) {
    const flipped = Buffer.from(FILE)
    flipped[at]! ^= 8
    expect(read(flipped), `byte ${at}`).toBeUndefined()
  }
})

test("a cut at any byte costs the batch that it is in, and no earlier one", () => {
  for (let length = 0; length < FILE.length; length += 1) {
    const reading = read(FILE.subarray(0, length))!
    const whole = ENDS.filter((end) => end <= length).length
    expect(reading.names, `cut at ${length}`).toStrictEqual(["span 1", "span 2", "span 3"].slice(0, whole))
    const isBetween = length === 0 || length === FILE_HEADER.length || ENDS.includes(length)
    expect([reading.damagedPlaces, reading.tornBytes > 0], `cut at ${length}`).toStrictEqual([0, !isBetween])
  }
})

test.each([
  ["zeros", 0],
  ["ones", 255],
])("a block of %s over the end of one batch and the start of the next costs both", (_name, value) => {
  const overwritten = Buffer.from(FILE)
  overwritten.fill(value, ENDS[0]! - 20, ENDS[0]! + 20)
  expect(read(overwritten)).toMatchObject({ names: ["span 3"], damagedPlaces: 1, tornBytes: 0 })
})

test("a damaged mark of stored batches means that they are stored again", () => {
  const mark = encodeFrame("stored", 1, 0)
  const file = Buffer.concat([FILE_HEADER, FRAMES[0]!, mark, FRAMES[1]!])
  file[ENDS[0]! + 4]! ^= 1
  expect(read(file)).toMatchObject({ names: ["span 1", "span 2"], damagedPlaces: 1 })
})

describe("text of a record that looks like frames", () => {
  const forged = Buffer.concat([
    encodeFrame("stored", 3, 0),
    encodeFrame("batch", 2 ** 47, 1, encodeBatch(recordBatch({ spans: [spanRecord(66)] }))),
    encodeFrame("stored", 3, 0),
  ])
  const attributes = new Map([["bytes", new Uint8Array(forged)]]) as unknown as SpanRecord["attributes"]
  const file = Buffer.concat([FILE_HEADER, FRAMES[0]!, frameOf(2, { attributes }), FRAMES[2]!])

  test("is text, as long as its record is whole", () => {
    expect(read(file)).toMatchObject({ names: ["span 1", "span 2", "span 3"], damagedPlaces: 0 })
  })

  test("marks nothing as stored and moves no sequence if its record is damaged", () => {
    const damaged = Buffer.from(file)
    // The length of the frame: the search for the next one meets the forged ones first.
    damaged[ENDS[0]! + 1]! ^= 1
    const reading = read(damaged)!
    expect(reading.names).toStrictEqual(["span 1", "span 3"])
    expect(reading.frames.map(({ kind, sequence }) => [kind, sequence])).toStrictEqual([
      ["batch", 1],
      ["batch", 3],
    ])
  })
})

test("a damaged batch is counted as dropped at the start, and the others are stored", async () => {
  const directory = await temporaryDirectory()
  const damaged = Buffer.from(FILE)
  damaged[ENDS[1]! - 1]! ^= 1
  await writeFile(join(directory, `${"1".padStart(15, "0")}.journal`), damaged)
  const { receiver, sink } = await startReceiver({ journalDirectory: directory })
  await sink.until(({ spans }) => spans.length === 2)
  expect(sink.spans.map(({ name }) => name)).toStrictEqual(["span 1", "span 3"])
  expect(receiver.drops.totals()).toStrictEqual({ malformed: 1 })
})

test("a new batch never gets the sequence of one that was read behind damage", async () => {
  const directory = await temporaryDirectory()
  const damaged = Buffer.from(FILE)
  damaged[ENDS[0]! - 1]! ^= 1
  await writeFile(join(directory, `${"1".padStart(15, "0")}.journal`), damaged)
  let replay: Replay | undefined
  const journal = new Journal({ directory, onReplay: (found) => (replay = found) })
  onTestFinished(() => journal.close())
  expect(await journal.append(recordBatch({ spans: [spanRecord(4)] }))).toMatchObject({ ok: true, sequence: 4 })
  expect(replay).toMatchObject({ damagedPlaces: 1, tornFiles: 0, nextSequence: 4 })
})
