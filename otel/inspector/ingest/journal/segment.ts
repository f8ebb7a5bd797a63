import { type FileHandle, open, rm } from "node:fs/promises"
import { join } from "node:path"
import { PRIVATE_FILE_MODE } from "../../../protocol/private-files.ts"
import { FILE_HEADER } from "./frame.ts"

const EXTENSION = ".journal"

export function isSegmentName(name: string): boolean {
  return /^\d{15}\.journal$/.test(name)
}

/** A closed file of the journal, or the one that is written to. */
export interface SegmentFile {
  readonly path: string
  bytes: number
  /** Highest sequence in it: it can go when that one is stored. */
  lastSequence: number
}

/** The file that batches are appended to. After a failed append it is cut back to its last whole frame. */
export class Segment implements SegmentFile {
  bytes = FILE_HEADER.length
  lastSequence: number

  private constructor(
    readonly path: string,
    private readonly handle: FileHandle,
    firstSequence: number,
  ) {
    this.lastSequence = firstSequence - 1
  }

  /** Names sort by sequence. */
  static async create(directory: string, firstSequence: number): Promise<Segment> {
    const path = join(directory, String(firstSequence).padStart(15, "0") + EXTENSION)
    const handle = await open(path, "wx", PRIVATE_FILE_MODE)
    const segment = new Segment(path, handle, firstSequence)
    try {
      await handle.appendFile(FILE_HEADER)
      return segment
    } catch (error) {
      await segment.discard()
      throw error
    }
  }

  /** Resolves with where the first frame starts. */
  async append(frames: readonly Buffer[], lastSequence: number, sync: boolean): Promise<number> {
    const start = this.bytes
    const bytes = Buffer.concat(frames)
    await this.handle.appendFile(bytes)
    if (sync) await this.handle.datasync()
    this.bytes += bytes.length
    this.lastSequence = Math.max(this.lastSequence, lastSequence)
    return start
  }

  /** After a failed append: removes what it may have left. */
  async cutBack(): Promise<void> {
    await this.handle.truncate(this.bytes)
  }

  close(): Promise<void> {
    return this.handle.close()
  }

  async discard(): Promise<void> {
    await this.close()
    await rm(this.path, { force: true })
  }
}
