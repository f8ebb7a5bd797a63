import { open } from "node:fs/promises"
import type { EncodedBatch } from "../../../protocol/codec/encode-batch.ts"
import { FRAME_HEADER_BYTES, readFrame } from "./frame.ts"

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
