import { readdir, readFile, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import type { EncodedBatch } from "../../../protocol/codec/encode-batch.ts"
import { DirectoryInUse } from "../../directory-lock.ts"
import { diskProblem } from "../../disk-problem.ts"
import {
  firstSequenceOf,
  type Frame,
  isSegmentName,
  type JournalReader,
  readFrames,
  type SegmentFile,
} from "./segment.ts"

/** A batch that an earlier process acknowledged and did not store. Its records stay on disk until `load`. */
export interface BacklogBatch {
  readonly sequence: number
  readonly recordCount: number
  readonly bytes: number
  load(): Promise<EncodedBatch>
}

export interface Replay {
  readonly backlog: readonly BacklogBatch[]
  /** Files of the backlog. */
  readonly segments: SegmentFile[]
  readonly nextSequence: number
  /** Files that end within a frame: the process crashed while writing it, and did not acknowledge it. */
  readonly tornFiles: number
  /** Places in files where bytes changed after they were written, with at least one batch each. */
  readonly damagedPlaces: number
  /** Files of an unknown format. They are renamed, so that no start reads or deletes them. */
  readonly foreignFiles: number
}

/** Reads the directory. Deletes files whose batches are all stored. */
export async function replay(directory: string, reader: JournalReader): Promise<Replay> {
  const names = (await readdir(directory)).filter(isSegmentName).sort()
  const found: { readonly path: string; readonly bytes: number; readonly frames: readonly Frame[] }[] = []
  let tornFiles = 0
  let damagedPlaces = 0
  let foreignFiles = 0
  for (const name of names) {
    const path = join(directory, name)
    const file = await readFile(path)
    const reading = readFrames(file, firstSequenceOf(name))
    if (reading === undefined) {
      foreignFiles += 1
      await rename(path, `${path}.unreadable`)
      continue
    }
    if (reading.tornBytes > 0) tornFiles += 1
    damagedPlaces += reading.damagedPlaces
    found.push({ path, bytes: file.length, frames: reading.frames })
  }
  const sequences = found.flatMap(({ frames }) => frames)
  const storedThrough = highest(sequences.filter(({ kind }) => kind === "stored"))
  const backlog: BacklogBatch[] = []
  const segments: SegmentFile[] = []
  for (const { path, bytes, frames } of found) {
    const waiting = frames.filter(({ kind, sequence }) => kind === "batch" && sequence > storedThrough)
    if (waiting.length === 0) {
      await rm(path, { force: true })
      continue
    }
    for (const frame of waiting) backlog.push(backlogBatch(reader, path, frame))
    segments.push({ path, bytes, lastSequence: highest(waiting) })
  }
  return { backlog, segments, nextSequence: highest(sequences) + 1, tornFiles, damagedPlaces, foreignFiles }
}

function highest(frames: readonly Frame[]): number {
  return frames.reduce((most, { sequence }) => Math.max(most, sequence), 0)
}

function backlogBatch(reader: JournalReader, path: string, { sequence, recordCount, start, end }: Frame): BacklogBatch {
  return { sequence, recordCount, bytes: end - start, load: () => reader.load({ path, start, end }) }
}

/** Why the journal cannot be used, and what to do, in one line for people. */
export function journalProblem(directory: string, error: unknown): string {
  const journal = `The journal in ${directory}`
  if (error instanceof DirectoryInUse)
    return `${journal} is open in process ${error.owner}. Stop that process, or set PAGESPAN_DATA to another directory.`
  const { reason, remedy } = diskProblem(error)
  return `${journal} cannot be written: ${reason}. ${remedy}.`
}
