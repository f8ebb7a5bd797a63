import { type FileHandle, open, rm } from "node:fs/promises"
import { join } from "node:path"
import { crc32 } from "node:zlib"
import type { EncodedBatch } from "../../../protocol/codec/encode-batch.ts"
import { PRIVATE_FILE_MODE } from "../../../protocol/private-files.ts"

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

/**
 * A journal file is a header and frames:
 *
 * ```
 * file  = "PSPNJRNL" format:u8 frame*
 * frame = length:u32 crc32:u32 body          length and crc32 are the body's, big-endian
 * body  = kind:u8 sequence:u48 records:u32 payload
 * ```
 *
 * A `batch` frame holds the records of one admission; a `stored` frame has no payload and says that all batches up to
 * its sequence are in the store. A frame that is cut short or fails its checksum ends the file for the reader.
 */

const MAGIC = Buffer.from("PSPNJRNL")
/** Goes up when the payload's shape changes; a journal of a format that is not known is put aside, not guessed at. */
const FORMAT = 4
/** 1 is what was written when there were spans only, 2 before there were items, 3 in V8's structured clone; the frames are the same. */
const READABLE_FORMATS: ReadonlySet<number | undefined> = new Set([1, 2, 3, FORMAT])
export const FILE_HEADER = Buffer.concat([MAGIC, Buffer.from([FORMAT])])

const KIND = { batch: 1, stored: 2 } as const
export type FrameKind = keyof typeof KIND

const PREFIX_BYTES = 8
const BODY_HEADER_BYTES = 11
/** No admission comes near: its body was 20 MiB at most. A larger length is not one that we wrote. */
const MAX_BODY_BYTES = 256 * 1024 * 1024

/** Bytes of a frame before its payload. */
export const FRAME_HEADER_BYTES = PREFIX_BYTES + BODY_HEADER_BYTES

export interface Frame {
  readonly kind: FrameKind
  readonly sequence: number
  readonly recordCount: number
  /** Where the payload lies in the file. */
  readonly start: number
  readonly end: number
}

export function encodeFrame(kind: FrameKind, sequence: number, recordCount: number, payload: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(FRAME_HEADER_BYTES + payload.length)
  frame.writeUInt32BE(BODY_HEADER_BYTES + payload.length, 0)
  frame.writeUInt8(KIND[kind], PREFIX_BYTES)
  frame.writeUIntBE(sequence, PREFIX_BYTES + 1, 6)
  frame.writeUInt32BE(recordCount, PREFIX_BYTES + 7)
  frame.set(payload, FRAME_HEADER_BYTES)
  frame.writeUInt32BE(crc32(frame.subarray(PREFIX_BYTES)), 4)
  return frame
}

export interface FileReading {
  readonly frames: readonly Frame[]
  /** Bytes after the last whole frame: what a crash cut short. */
  readonly tornBytes: number
}

/** `undefined` when the file is not a journal of a format that is known. */
export function readFrames(file: Buffer): FileReading | undefined {
  if (file.length < FILE_HEADER.length) return { frames: [], tornBytes: file.length }
  const format = file[MAGIC.length]
  if (!file.subarray(0, MAGIC.length).equals(MAGIC) || !READABLE_FORMATS.has(format)) return undefined
  const frames: Frame[] = []
  let at = FILE_HEADER.length
  for (;;) {
    const frame = readFrame(file, at)
    if (frame === undefined) return { frames, tornBytes: file.length - at }
    frames.push(frame)
    at = frame.end
  }
}

/** `undefined` where no whole frame begins. */
export function readFrame(file: Buffer, at: number): Frame | undefined {
  if (at + PREFIX_BYTES + BODY_HEADER_BYTES > file.length) return undefined
  const length = file.readUInt32BE(at)
  const bodyStart = at + PREFIX_BYTES
  const end = bodyStart + length
  if (length < BODY_HEADER_BYTES || length > MAX_BODY_BYTES || end > file.length) return undefined
  if (crc32(file.subarray(bodyStart, end)) !== file.readUInt32BE(at + 4)) return undefined
  const kind = file.readUInt8(bodyStart)
  if (kind !== KIND.batch && kind !== KIND.stored) return undefined
  return {
    kind: kind === KIND.batch ? "batch" : "stored",
    sequence: file.readUIntBE(bodyStart + 1, 6),
    recordCount: file.readUInt32BE(bodyStart + 7),
    start: bodyStart + BODY_HEADER_BYTES,
    end,
  }
}

/** Where the payload of a frame lies. */
export interface Place {
  readonly path: string
  readonly start: number
  readonly end: number
}

/** A piece of a file in memory. */
interface Window {
  readonly path: string
  readonly from: number
  readonly bytes: Buffer
}

/** Read at once, from the first byte that is asked for: some hundred batches, which are asked for in their order. */
const WINDOW_BYTES = 4 * 1024 * 1024

/** Reads batches back from the journal's files. */
export class JournalReader {
  #window: Window | undefined

  /** Rejects where the frame is not there any more as it was written. */
  async load({ path, start, end }: Place): Promise<EncodedBatch> {
    const frame = { path, start: start - FRAME_HEADER_BYTES, end }
    const held = this.#window
    const window = held !== undefined && holds(held, frame) ? held : await readWindow(frame)
    this.#window = window
    const read = readFrame(window.bytes, frame.start - window.from)
    if (read === undefined) throw new Error("a frame of the journal has gone bad")
    return window.bytes.subarray(read.start, read.end)
  }
}

function holds({ path, from, bytes }: Window, place: Place): boolean {
  return path === place.path && place.start >= from && place.end <= from + bytes.length
}

async function readWindow({ path, start, end }: Place): Promise<Window> {
  const handle = await open(path)
  try {
    const length = Math.max(end - start, WINDOW_BYTES)
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, start)
    return { path, from: start, bytes: buffer.subarray(0, bytesRead) }
  } finally {
    await handle.close()
  }
}
