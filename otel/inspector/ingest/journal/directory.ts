import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { EncodedBatch } from "../../../protocol/codec/encode-batch.ts"
import { PRIVATE_FILE_MODE } from "../../../protocol/private-files.ts"
import { isProcessAlive } from "../../process-alive.ts"
import { processState } from "../../process-state.ts"
import { type Frame, isSegmentName, type JournalReader, readFrames, type SegmentFile } from "./segment.ts"

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
  /** Files of an unknown format. They are renamed, so that no start reads or deletes them. */
  readonly foreignFiles: number
}

/** Reads the directory. Deletes files whose batches are all stored. */
export async function replay(directory: string, reader: JournalReader): Promise<Replay> {
  const names = (await readdir(directory)).filter(isSegmentName).sort()
  const found: { readonly path: string; readonly bytes: number; readonly frames: readonly Frame[] }[] = []
  let tornFiles = 0
  let foreignFiles = 0
  for (const name of names) {
    const path = join(directory, name)
    const file = await readFile(path)
    const reading = readFrames(file)
    if (reading === undefined) {
      foreignFiles += 1
      await rename(path, `${path}.unreadable`)
      continue
    }
    if (reading.tornBytes > 0) tornFiles += 1
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
  return { backlog, segments, nextSequence: highest(sequences) + 1, tornFiles, foreignFiles }
}

function highest(frames: readonly Frame[]): number {
  return frames.reduce((most, { sequence }) => Math.max(most, sequence), 0)
}

function backlogBatch(reader: JournalReader, path: string, { sequence, recordCount, start, end }: Frame): BacklogBatch {
  return { sequence, recordCount, bytes: end - start, load: () => reader.load({ path, start, end }) }
}

/**
 * One process opens a journal at a time: two would replay and delete each other's segments. The lock file holds the
 * owner's process id. It is stale when that process is gone, or has this process's id, as happens in containers.
 */

const held = processState("journals", () => new Set<string>())

/** @throws {Error} when another running process holds the lock, or the directory cannot be written. */
export async function lockDirectory(directory: string): Promise<void> {
  const path = join(directory, "lock")
  if (held.has(path)) throw new Error("this process has the journal open already")
  const owner = await journalOwner(directory)
  if (owner !== undefined) throw new Error(`process ${owner} has the journal open`)
  await rm(path, { force: true })
  await writeFile(path, String(process.pid), { flag: "wx", mode: PRIVATE_FILE_MODE })
  held.add(path)
}

/** The id of another living process that has the journal open. */
export async function journalOwner(directory: string): Promise<number | undefined> {
  const owner = Number(await readFile(join(directory, "lock"), "utf8").catch(() => ""))
  return owner > 0 && owner !== process.pid && isProcessAlive(owner) ? owner : undefined
}

export async function unlockDirectory(directory: string): Promise<void> {
  const path = join(directory, "lock")
  if (held.delete(path)) await rm(path, { force: true })
}
