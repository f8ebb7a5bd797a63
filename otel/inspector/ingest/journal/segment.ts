import { type FileHandle, open, rm } from "node:fs/promises"
import { join } from "node:path"
import { crc32 } from "node:zlib"
import type { EncodedBatch } from "../../../protocol/codec/encode-batch.ts"
import { PRIVATE_FILE_MODE } from "../../../protocol/private-files.ts"

const EXTENSION = ".journal"

export function isSegmentName(name: string): boolean {
  return /^\d{15}\.journal$/.test(name)
}

/** The first sequence of a file, by its name. */
export function firstSequenceOf(name: string): number {
  return Number.parseInt(name, 10)
}

/** A file of the journal: a closed one, or the one that is being written. */
export interface SegmentFile {
  readonly path: string
  bytes: number
  /** Highest sequence in it. The file is deleted when that batch is stored. */
  lastSequence: number
}

/** The file that batches are appended to. A failed append is truncated to the last whole frame. */
export class Segment implements SegmentFile {
  bytes = FILE_HEADER.length
  lastSequence: number
  hasBatches = false

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

  /**
   * Resolves with the offset of the first frame.
   *
   * @param lastSequence the highest of the batches; 0 if the frames are marks alone.
   */
  async append(frames: readonly Buffer[], lastSequence: number, sync: boolean): Promise<number> {
    const start = this.bytes
    const bytes = Buffer.concat(frames)
    await this.handle.appendFile(bytes)
    if (sync) await this.handle.datasync()
    this.bytes += bytes.length
    this.lastSequence = Math.max(this.lastSequence, lastSequence)
    this.hasBatches ||= lastSequence > 0
    return start
  }

  /** Removes the partial bytes of a failed append. */
  async truncate(): Promise<void> {
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
 * A `batch` frame holds the records of one `ingest`. A `stored` frame has no payload: all batches up to its sequence are
 * in the store. A crash cuts the last frame short. A frame that fails its checksum is skipped, and those after it are read.
 */

const MAGIC = Buffer.from("PSPNJRNL")
/** Increases when the payload's encoding changes. A file of an unknown format is renamed, not read. */
const FORMAT = 5
/**
 * Frames are equal in all formats. The payload of 1 to 3 is V8's structured clone: 1 has spans alone, 2 no items. Format 4 has no
 * requests as they arrived.
 */
const READABLE_FORMATS: ReadonlySet<number | undefined> = new Set([1, 2, 3, 4, FORMAT])
export const FILE_HEADER = Buffer.concat([MAGIC, Buffer.from([FORMAT])])

const KIND = { batch: 1, stored: 2 } as const
export type FrameKind = keyof typeof KIND

const PREFIX_BYTES = 8
const BODY_HEADER_BYTES = 11
/** A larger length is damage: a request body has at most 20 MiB. */
const MAX_BODY_BYTES = 256 * 1024 * 1024

/** Bytes of a frame before its payload. */
export const FRAME_HEADER_BYTES = PREFIX_BYTES + BODY_HEADER_BYTES

export interface Frame {
  readonly kind: FrameKind
  readonly sequence: number
  readonly recordCount: number
  /** Offset of the payload. */
  readonly start: number
  readonly end: number
}

/** @param payload its parts, in order. */
export function encodeFrame(
  kind: FrameKind,
  sequence: number,
  recordCount: number,
  ...payload: readonly Uint8Array[]
): Buffer {
  const length = payload.reduce((sum, part) => sum + part.length, 0)
  const frame = Buffer.allocUnsafe(FRAME_HEADER_BYTES + length)
  frame.writeUInt32BE(BODY_HEADER_BYTES + length, 0)
  frame.writeUInt8(KIND[kind], PREFIX_BYTES)
  frame.writeUIntBE(sequence, PREFIX_BYTES + 1, 6)
  frame.writeUInt32BE(recordCount, PREFIX_BYTES + 7)
  let at = FRAME_HEADER_BYTES
  for (const part of payload) {
    frame.set(part, at)
    at += part.length
  }
  frame.writeUInt32BE(crc32(frame.subarray(PREFIX_BYTES)), 4)
  return frame
}

export interface FileReading {
  readonly frames: readonly Frame[]
  /** Places with bytes that are no whole frame, although they were: the disk, or someone, changed them. */
  readonly damagedPlaces: number
  /** Bytes of a last frame that is cut short: the process crashed while it wrote it. */
  readonly tornBytes: number
}

/**
 * @param firstSequence of the file, by its name.
 * @returns `undefined` when the file is not a journal of a known format.
 */
export function readFrames(file: Buffer, firstSequence: number): FileReading | undefined {
  if (file.length < FILE_HEADER.length) return { frames: [], damagedPlaces: 0, tornBytes: file.length }
  const format = file[MAGIC.length]
  if (!file.subarray(0, MAGIC.length).equals(MAGIC) || !READABLE_FORMATS.has(format)) return undefined
  const frames: Frame[] = []
  const search = { checksumBytes: SEARCH_FACTOR * file.length }
  let damagedPlaces = 0
  let at = FILE_HEADER.length
  while (at < file.length) {
    const frame = readFrame(file, at)
    if (frame !== undefined) {
      // After damage a mark may be text of a record. Without it, records are stored again, which changes nothing.
      if (damagedPlaces === 0 || frame.kind === "batch") frames.push(frame)
      at = frame.end
      continue
    }
    const next = findBatch(file, at, firstSequence, search)
    if (next === undefined && isCutShort(file, at)) return { frames, damagedPlaces, tornBytes: file.length - at }
    damagedPlaces += 1
    at = next ?? file.length
  }
  return { frames, damagedPlaces, tornBytes: 0 }
}

/** Whether the frame at `at` is longer than the file. */
function isCutShort(file: Buffer, at: number): boolean {
  return at + FRAME_HEADER_BYTES > file.length || at + PREFIX_BYTES + file.readUInt32BE(at) > file.length
}

/** More than a file of the journal has. */
const SEQUENCES_PER_FILE = 1_000_000
/** All searches in a file compute checksums of at most this many times its size. */
const SEARCH_FACTOR = 4

/** The next whole batch after damage at `at`: where the damaged frame says that it ends, or else anywhere behind it. */
function findBatch(
  file: Buffer,
  at: number,
  firstSequence: number,
  search: { checksumBytes: number },
): number | undefined {
  const isBatch = (from: number) => {
    if (from + FRAME_HEADER_BYTES > file.length || file[from + PREFIX_BYTES] !== KIND.batch) return false
    const sequence = file.readUIntBE(from + PREFIX_BYTES + 1, 6)
    const length = file.readUInt32BE(from)
    if (sequence < firstSequence || sequence >= firstSequence + SEQUENCES_PER_FILE) return false
    if (from + PREFIX_BYTES + length > file.length) return false
    search.checksumBytes -= length
    return search.checksumBytes >= 0 && readFrame(file, from) !== undefined
  }
  const stated = at + FRAME_HEADER_BYTES <= file.length ? at + PREFIX_BYTES + file.readUInt32BE(at) : file.length
  if (isBatch(stated)) return stated
  for (let from = at + 1; from + FRAME_HEADER_BYTES <= file.length && search.checksumBytes > 0; from += 1)
    if (isBatch(from)) return from
  return undefined
}

/** `undefined` when no whole frame starts at `at`. */
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

/** Position of a frame's payload. */
export interface Place {
  readonly path: string
  readonly start: number
  readonly end: number
}

/** A part of a file in memory. */
interface Window {
  readonly path: string
  readonly from: number
  readonly bytes: Buffer
}

/** Read-ahead: the batcher loads batches in order, and one read covers about a hundred. */
const WINDOW_BYTES = 4 * 1024 * 1024

/** Loads batches from the journal's files. */
export class JournalReader {
  #window: Window | undefined

  /** @throws {Error} when the file is gone or the frame is damaged. */
  async load({ path, start, end }: Place): Promise<EncodedBatch> {
    const frame = { path, start: start - FRAME_HEADER_BYTES, end }
    const held = this.#window
    const window = held !== undefined && holds(held, frame) ? held : await readWindow(frame)
    this.#window = window
    const read = readFrame(window.bytes, frame.start - window.from)
    if (read === undefined) throw new Error("a frame of the journal is damaged")
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
