import { link, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { EncodedBatch } from "../../../protocol/codec/encode-batch.ts"
import { PRIVATE_FILE_MODE } from "../../../protocol/private-files.ts"
import { isProcessAlive } from "../../process-alive.ts"
import { processState } from "../../process-state.ts"
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

/**
 * One process opens a journal at a time: two would replay and delete each other's segments. The lock file holds the
 * owner's process id. It is stale when that process is gone, or has this process's id, as happens in containers.
 */

const held = processState("journals", () => new Set<string>())

/** @throws {JournalInUse} when another running process holds the lock. Any other error: the directory cannot be written. */
export async function lockDirectory(directory: string): Promise<void> {
  const path = join(directory, "lock")
  if (held.has(path)) throw new JournalInUse(process.pid)
  held.add(path)
  const mine = join(directory, `lock.${process.pid}`)
  try {
    await writeFile(mine, String(process.pid), { mode: PRIVATE_FILE_MODE })
    if (!(await claim(mine, path))) await replaceStaleLock(directory, mine)
  } catch (error) {
    held.delete(path)
    throw error
  } finally {
    await rm(mine, { force: true }).catch(() => undefined)
  }
}

/** Another process has the journal open. */
export class JournalInUse extends Error {
  override readonly name = "JournalInUse"

  constructor(readonly owner: number) {
    super(`process ${owner} has the journal open`)
  }
}

/** Error codes of file systems without hard links. */
const NO_LINKS: ReadonlySet<string> = new Set(["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"])

/** Creates the lock with its text at once, so that no process reads an empty one. `false` when there is one already. */
async function claim(mine: string, path: string): Promise<boolean> {
  try {
    await link(mine, path)
    return true
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException
    if (code === "EEXIST") return false
    if (!NO_LINKS.has(code)) throw error
    return writeFile(path, String(process.pid), { flag: "wx", mode: PRIVATE_FILE_MODE }).then(
      () => true,
      () => false,
    )
  }
}

/**
 * Several processes may start on the directory of a dead one at the same time. Only the one with the second lock may remove
 * the stale first one; otherwise a slow process would remove the lock that a fast one has just created.
 */
async function replaceStaleLock(directory: string, mine: string): Promise<void> {
  const path = join(directory, "lock")
  const right = join(directory, "lock.replacing")
  if (!(await claim(mine, right))) {
    const replacing = await livingOwner(right)
    if (replacing !== undefined) throw new JournalInUse(replacing)
    // It died while it replaced the lock, which takes a millisecond. The next attempt to open may replace it.
    await rm(right, { force: true })
    throw new Error("the lock of a dead process is in the way")
  }
  try {
    const owner = await livingOwner(path)
    if (owner !== undefined) throw new JournalInUse(owner)
    await rm(path, { force: true })
    if (!(await claim(mine, path))) throw new JournalInUse((await livingOwner(path)) ?? 0)
  } finally {
    await rm(right, { force: true })
  }
}

async function livingOwner(path: string): Promise<number | undefined> {
  const owner = Number(await readFile(path, "utf8").catch(() => ""))
  return owner > 0 && owner !== process.pid && isProcessAlive(owner) ? owner : undefined
}

/** The id of another living process that has the journal open. */
export function journalOwner(directory: string): Promise<number | undefined> {
  return livingOwner(join(directory, "lock"))
}

export async function unlockDirectory(directory: string): Promise<void> {
  const path = join(directory, "lock")
  if (held.delete(path)) await rm(path, { force: true })
}
